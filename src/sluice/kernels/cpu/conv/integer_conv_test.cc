// Compares convolutions of integers with plain loops over every element of the
// kernel, for random sizes of one to three axes, with numbers so large that
// sums and products wrap.
#include "sluice/kernels/cpu/conv/integer_conv.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "sluice/base/random.h"
#include "sluice/base/strings.h"
#include "sluice/base/worker_pool.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

// Numbers from 0 on, in an order that is the same every time.
class Draw {
 public:
  explicit Draw(uint64_t stream) : key_(RandomKey::Of(0, stream, 0, 0)) {}
  int64_t From(int64_t least, int64_t most) {
    uint64_t bits = RandomBits(key_, count_++)[0];
    return least +
           static_cast<int64_t>(bits % static_cast<uint64_t>(most - least + 1));
  }

 private:
  RandomKey key_;
  uint64_t count_ = 0;
};

// Some with enough channels for tiles.
ConvGeometry RandomGeometry(Draw& draw, int axes) {
  ConvGeometry g;
  int64_t most = draw.From(0, 1) ? 4 : 21;
  g.batch = draw.From(0, 3), g.groups = draw.From(1, 3);
  g.in_channels = draw.From(0, most), g.out_channels = draw.From(0, most);
  for (int i = kConvAxes - axes; i < kConvAxes; ++i) {
    g.kernel[i] = draw.From(1, 4), g.stride[i] = draw.From(1, 3);
    g.dilation[i] = draw.From(1, 3), g.pad[i] = draw.From(0, 5);
    int64_t reach = (g.kernel[i] - 1) * g.dilation[i] + 1;
    int64_t pad_after = draw.From(0, 5);
    int64_t least = std::max<int64_t>(reach - g.pad[i] - pad_after, 0);
    g.in[i] = least + draw.From(0, 9);
    g.out[i] = (g.in[i] + g.pad[i] + pad_after - reach) / g.stride[i] + 1;
  }
  return g;
}

std::string Text(const ConvGeometry& g) {
  std::string text = StrCat(g.batch, " images, ", g.groups, " groups of ",
                            g.in_channels, " -> ", g.out_channels);
  for (int i = 0; i < kConvAxes; ++i) {
    StrAppend(text, "; ", g.in[i], " -> ", g.out[i], " kernel ", g.kernel[i],
              " stride ", g.stride[i], " dilation ", g.dilation[i], " pad ",
              g.pad[i]);
  }
  return text;
}

// f(place in x, in w, in y) of every product.
template <class F>
void ForEachProduct(const ConvGeometry& g, const F& f) {
  int64_t rows = g.groups * g.out_channels;
  int64_t sums = g.batch * rows * g.out_pixels();
  for (int64_t y = 0; y < sums; ++y) {
    int64_t rest = y, q[kConvAxes];
    for (int i = kConvAxes - 1; i >= 0; --i) {
      q[i] = rest % g.out[i];
      rest /= g.out[i];
    }
    int64_t row = rest % rows, image = rest / rows;
    for (int64_t tap = 0; tap < g.in_channels * g.taps(); ++tap) {
      int64_t left = tap, at[kConvAxes];
      bool inside = true;
      for (int i = kConvAxes - 1; i >= 0; --i) {
        at[i] =
            q[i] * g.stride[i] + left % g.kernel[i] * g.dilation[i] - g.pad[i];
        inside = inside && at[i] >= 0 && at[i] < g.in[i];
        left /= g.kernel[i];
      }
      if (!inside) continue;
      int64_t channel = row / g.out_channels * g.in_channels + left;
      int64_t x = image * g.groups * g.in_channels + channel;
      for (int i = 0; i < kConvAxes; ++i) x = x * g.in[i] + at[i];
      f(static_cast<size_t>(x),
        static_cast<size_t>(row * g.in_channels * g.taps() + tap),
        static_cast<size_t>(y));
    }
  }
}

template <class T>
Array Numbers(int64_t n, Draw& draw) {
  Array a = Array::Zeros(DTypeOf<T>::value, Shape{n});
  for (int64_t i = 0; i < n; ++i) {
    a.mutable_data<T>()[i] = static_cast<T>(draw.From(INT32_MIN, INT32_MAX) *
                                            draw.From(INT32_MIN, INT32_MAX));
  }
  return a;
}

template <class T>
std::vector<T> Launch(bool transposed, const ConvGeometry& g, const Array& a,
                      const Array& w, int64_t size, WorkerPool* pool) {
  static const OpRecord op;
  static const Attrs attrs;
  static const NodeInfo node;
  StepContext step;
  step.pool = pool;
  Array in[] = {a, w};
  Array out[] = {Array::Zeros(a.dtype(), Shape{size})};
  if (size > 0) {  // existing contents must not be added to
    std::memset(out[0].mutable_raw(), 0x5a,
                static_cast<size_t>(size) * sizeof(T));
  }
  KernelContext ctx(op, attrs, node, step, in, out);
  int64_t bytes = transposed ? IntegerConvTransposeWorkspace(g, a.dtype())
                             : IntegerConvWorkspace(g, a.dtype());
  // Nothing may be read before it is written.
  std::vector<uint64_t> workspace(static_cast<size_t>(bytes / 8 + 1),
                                  0x5a5a5a5a5a5a5a5a);
  ctx.set_workspace(workspace.data());
  if (transposed) {
    IntegerConvTranspose(g, ctx);
  } else {
    IntegerConv(g, ctx);
  }
  const T* data = out[0].data<T>();
  return std::vector<T>(data, data + size);
}

template <class T>
void Check(const ConvGeometry& g, Draw& draw, WorkerPool* pool) {
  int64_t x_size = g.batch * g.groups * g.in_channels * g.in_pixels();
  int64_t y_size = g.batch * g.groups * g.out_channels * g.out_pixels();
  int64_t w_size = g.groups * g.out_channels * g.in_channels * g.taps();
  Array x = Numbers<T>(x_size, draw), w = Numbers<T>(w_size, draw);
  Array y = Numbers<T>(y_size, draw);
  // 64 bits that wrap around end in the bits of any shorter type that does.
  std::vector<uint64_t> sums(static_cast<size_t>(y_size)),
      spread(static_cast<size_t>(x_size));
  ForEachProduct(g, [&](size_t i, size_t k, size_t o) {
    auto weight = static_cast<uint64_t>(w.data<T>()[k]);
    sums[o] += static_cast<uint64_t>(x.data<T>()[i]) * weight;
    spread[i] += static_cast<uint64_t>(y.data<T>()[o]) * weight;
  });
  std::vector<T> want_y(sums.begin(), sums.end());
  std::vector<T> want_x(spread.begin(), spread.end());
  EXPECT_EQ(Launch<T>(false, g, x, w, y_size, pool), want_y);
  EXPECT_EQ(Launch<T>(true, g, y, w, x_size, pool), want_x) << "transposed";
}

TEST(IntegerConv, MatchesNestedLoopsOnRandomSizes) {
  WorkerPool pool(2);
  for (uint64_t round = 0; round < 180; ++round) {
    Draw draw(round);
    ConvGeometry g = RandomGeometry(draw, 1 + static_cast<int>(round % 3));
    SCOPED_TRACE(Text(g));
    WorkerPool* threads = round % 2 ? &pool : nullptr;
    Check<int8_t>(g, draw, threads);
    Check<int16_t>(g, draw, threads);
    Check<int32_t>(g, draw, threads);
    Check<int64_t>(g, draw, threads);
    Check<uint8_t>(g, draw, threads);
    if (HasFailure()) return;
  }
}

// More than one block of every kind, for several threads.
TEST(IntegerConv, MatchesNestedLoopsOnAPlane) {
  ConvGeometry g;
  g.batch = 2, g.in_channels = 19, g.out_channels = 37;
  for (int i = 1; i < kConvAxes; ++i) {
    g.in[i] = g.out[i] = 21;
    g.kernel[i] = 3, g.pad[i] = 1;
  }
  WorkerPool pool(3);
  Draw draw(7);
  Check<int8_t>(g, draw, &pool);
  Check<int32_t>(g, draw, &pool);
  Check<int64_t>(g, draw, &pool);
  g.in_channels = 2, g.out_channels = 3;  // one line at a time
  Check<int32_t>(g, draw, &pool);
  Check<int64_t>(g, draw, &pool);
}

}  // namespace
}  // namespace sluice
