#include "sluice/kernels/cpu/conv/integer_conv.h"

#include <algorithm>
#include <type_traits>
#include <vector>

#include "sluice/base/worker_pool.h"
#include "sluice/kernels/cpu/conv/integer_tiles.h"

namespace sluice {

namespace {

// Products of a chunk of lines: enough that handing it to a thread pays.
constexpr int64_t kProductsPerChunk = 1 << 15;

// Unsigned, because unsigned integers wrap; at least 32 bits wide, because
// narrower ones would be multiplied as int, which does not wrap.
template <class T>
using Wrapping = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

// The elements of y along an axis that a tap meets x with: y's element q meets
// x's element q * stride + offset.
struct Meeting {
  Meeting(const ConvGeometry& g, int axis, int64_t tap)
      : stride(g.stride[axis]),
        offset(tap * g.dilation[axis] - g.pad[axis]),
        first(offset >= 0 ? 0 : (-offset + stride - 1) / stride),
        end(offset >= g.in[axis]
                ? 0
                : std::min(g.out[axis],
                           (g.in[axis] - 1 - offset) / stride + 1)) {}

  // The element of y that x's element i meets, or -1.
  int64_t MeetingAt(int64_t i) const {
    int64_t from = i - offset;
    if (from < 0 || from % stride != 0) return -1;
    return from / stride < end ? from / stride : -1;
  }

  int64_t stride, offset;
  int64_t first, end;  // in y; none where first >= end
};

// For every tap of the last axis: they are the same for every line.
std::vector<Meeting> AlongLines(const ConvGeometry& g) {
  std::vector<Meeting> all;
  all.reserve(static_cast<size_t>(g.kernel[2]));
  for (int64_t t = 0; t < g.kernel[2]; ++t) all.emplace_back(g, 2, t);
  return all;
}

// to[i * to_step] += w * from[i * from_step], n times.
template <class T>
void AddLine(T w, const T* from, int64_t from_step, T* to, int64_t to_step,
             int64_t n) {
  using W = Wrapping<T>;
  auto sum = [&](T a, T b) {
    return static_cast<T>(static_cast<W>(a) +
                          static_cast<W>(w) * static_cast<W>(b));
  };
  if (from_step == 1 && to_step == 1) {  // vectors
    for (int64_t i = 0; i < n; ++i) to[i] = sum(to[i], from[i]);
    return;
  }
  for (int64_t i = 0; i < n; ++i) {
    to[i * to_step] = sum(to[i * to_step], from[i * from_step]);
  }
}

// The position of a line in a result of `size` lines and planes, by its number.
struct Line {
  Line(int64_t number, const ConvAxes& size, int64_t channels)
      : at1(number % size[1]),
        at0(number / size[1] % size[0]),
        channel(number / size[1] / size[0] % channels),
        image(number / size[1] / size[0] / channels) {}
  int64_t at1, at0, channel, image;
};

// Runs f(line, to) for every line of output 0, which holds zeros.
template <class T, class F>
void ForEachLine(const KernelContext& ctx, const ConvAxes& size,
                 int64_t channels, int64_t batch, int64_t depth, const F& f) {
  int64_t length = size[2];
  int64_t lines = batch * channels * size[0] * size[1];
  if (lines * length == 0) return;
  T* y = ctx.out(0).mutable_data<T>();
  int64_t per_line = std::max<int64_t>(length * std::max<int64_t>(depth, 1), 1);
  int64_t grain = std::max<int64_t>(kProductsPerChunk / per_line, 1);
  ParallelFor(ctx.step().pool, lines, grain, [&](int64_t b, int64_t e) {
    for (int64_t i = b; i < e; ++i) {
      T* to = y + i * length;
      std::fill(to, to + length, T(0));
      f(Line(i, size, channels), to);
    }
    ctx.Finish(b * length, (e - b) * length);
  });
}

template <class T>
void Forward(const ConvGeometry& g, const KernelContext& ctx) {
  const T *x = ctx.in(0).data<T>(), *w = ctx.in(1).data<T>();
  const std::vector<Meeting> meetings = AlongLines(g);
  auto line = [&](const Line& at, T* to) {
    int64_t first_channel =
        (at.image * g.groups + at.channel / g.out_channels) * g.in_channels;
    const T* weight = w + at.channel * g.in_channels * g.taps();
    for (int64_t c = 0; c < g.in_channels; ++c) {
      const T* plane = x + (first_channel + c) * g.in_pixels();
      for (int64_t t0 = 0; t0 < g.kernel[0]; ++t0) {
        int64_t x0 = at.at0 * g.stride[0] + t0 * g.dilation[0] - g.pad[0];
        for (int64_t t1 = 0; t1 < g.kernel[1]; ++t1) {
          int64_t x1 = at.at1 * g.stride[1] + t1 * g.dilation[1] - g.pad[1];
          bool outside = x0 < 0 || x0 >= g.in[0] || x1 < 0 || x1 >= g.in[1];
          const T* from =
              outside ? plane : plane + (x0 * g.in[1] + x1) * g.in[2];
          for (const Meeting& m : meetings) {
            T times = *weight++;
            if (outside || m.first >= m.end) continue;
            AddLine(times, from + m.first * m.stride + m.offset, m.stride,
                    to + m.first, 1, m.end - m.first);
          }
        }
      }
    }
  };
  ForEachLine<T>(ctx, g.out, g.groups * g.out_channels, g.batch,
                 g.in_channels * g.taps(), line);
}

template <class T>
void Transposed(const ConvGeometry& g, const KernelContext& ctx) {
  const T *y = ctx.in(0).data<T>(), *w = ctx.in(1).data<T>();
  const std::vector<Meeting> meetings = AlongLines(g);
  auto line = [&](const Line& at, T* to) {
    int64_t group = at.channel / g.in_channels;
    for (int64_t r = 0; r < g.out_channels; ++r) {
      int64_t row = group * g.out_channels + r;
      const T* plane =
          y + (at.image * g.groups * g.out_channels + row) * g.out_pixels();
      const T* weight =
          w + (row * g.in_channels + at.channel % g.in_channels) * g.taps();
      for (int64_t t0 = 0; t0 < g.kernel[0]; ++t0) {
        int64_t y0 = Meeting(g, 0, t0).MeetingAt(at.at0);
        for (int64_t t1 = 0; t1 < g.kernel[1]; ++t1) {
          int64_t y1 = Meeting(g, 1, t1).MeetingAt(at.at1);
          bool outside = y0 < 0 || y1 < 0;
          const T* from =
              outside ? plane : plane + (y0 * g.out[1] + y1) * g.out[2];
          for (const Meeting& m : meetings) {
            T times = *weight++;
            if (outside || m.first >= m.end) continue;
            AddLine(times, from + m.first, 1,
                    to + m.first * m.stride + m.offset, m.stride,
                    m.end - m.first);
          }
        }
      }
    }
  };
  ForEachLine<T>(ctx, g.in, g.groups * g.in_channels, g.batch,
                 g.out_channels * g.taps(), line);
}

// visit.operator()<T>() of one of kConvInts.
template <class F>
void DispatchConvInts(DType dtype, const F& visit) {
  switch (dtype) {
    case DType::kI8:
      return visit.template operator()<int8_t>();
    case DType::kI16:
      return visit.template operator()<int16_t>();
    case DType::kI32:
      return visit.template operator()<int32_t>();
    case DType::kI64:
      return visit.template operator()<int64_t>();
    case DType::kU8:
      return visit.template operator()<uint8_t>();
    default:
      return;
  }
}

int64_t WorkspaceOf(const IntegerProduct& p, DType dtype) {
  int64_t bytes = 0;
  if (!FitsIntegerTiles(p)) return bytes;
  DispatchConvInts(dtype,
                   [&]<class T>() { bytes = IntegerTilesWorkspace<T>(p); });
  return bytes;
}

template <class T>
void Tiles(const IntegerProduct& p, const KernelContext& ctx) {
  IntegerTiles(p, ctx.in(1).data<T>(), ctx.in(0).data<T>(),
               ctx.out(0).mutable_data<T>(), ctx);
}

}  // namespace

void IntegerConv(const ConvGeometry& g, const KernelContext& ctx) {
  IntegerProduct p = IntegerForward(g);
  DispatchConvInts(ctx.out(0).dtype(), [&]<class T>() {
    FitsIntegerTiles(p) ? Tiles<T>(p, ctx) : Forward<T>(g, ctx);
  });
}
int64_t IntegerConvWorkspace(const ConvGeometry& g, DType dtype) {
  return WorkspaceOf(IntegerForward(g), dtype);
}

void IntegerConvTranspose(const ConvGeometry& g, const KernelContext& ctx) {
  IntegerProduct p = IntegerTransposed(g);
  DispatchConvInts(ctx.out(0).dtype(), [&]<class T>() {
    FitsIntegerTiles(p) ? Tiles<T>(p, ctx) : Transposed<T>(g, ctx);
  });
}
int64_t IntegerConvTransposeWorkspace(const ConvGeometry& g, DType dtype) {
  return WorkspaceOf(IntegerTransposed(g), dtype);
}

}  // namespace sluice
