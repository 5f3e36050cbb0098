// Compares the fast convolutions with four nested loops, on integers, whose
// sums are exact in any order; and on numbers that round, whose sums reveal the
// order, with different numbers of threads.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "sluice/base/random.h"
#include "sluice/base/strings.h"
#include "sluice/base/worker_pool.h"
#include "sluice/kernels/cpu/conv/correlate.h"
#include "sluice/kernels/cpu/conv/filter_grad.h"
#include "sluice/kernels/cpu/conv/geometry.h"
#include "sluice/kernels/cpu/conv/scatter_grad.h"
#include "sluice/op/record.h"
#include "sluice/tensor/half.h"

namespace sluice {
namespace {

std::vector<float> Numbers(int64_t n, uint64_t stream, float scale) {
  std::vector<float> v(static_cast<size_t>(n));
  RandomKey key = RandomKey::Of(0, stream, 0, 0);
  for (size_t i = 0; i < v.size(); ++i) {
    v[i] = scale * (static_cast<float>(RandomBits(key, i)[0] % 7) - 3);
  }
  return v;
}

ConvGeometry Plane(int64_t batch, int64_t groups, int64_t in_channels,
                   int64_t out_channels, int64_t height, int64_t width,
                   int64_t kernel, int64_t stride, int64_t pad,
                   int64_t dilation = 1) {
  ConvGeometry g;
  g.batch = batch, g.groups = groups;
  g.in_channels = in_channels, g.out_channels = out_channels;
  g.in[1] = height, g.in[2] = width;
  for (int i = 1; i < 3; ++i) {
    g.kernel[i] = kernel, g.stride[i] = stride;
    g.pad[i] = pad, g.dilation[i] = dilation;
    g.out[i] = (g.in[i] + 2 * pad - (kernel - 1) * dilation - 1) / stride + 1;
  }
  return g;
}

// The same with steps between kernel columns.
ConvGeometry Spread(ConvGeometry g, int64_t dilation) {
  g.dilation[2] = dilation;
  g.out[2] = g.in[2] + 2 * g.pad[2] - (g.kernel[2] - 1) * dilation;
  return g;
}

int64_t XSize(const ConvGeometry& g) {
  return g.batch * g.groups * g.in_channels * g.in_pixels();
}
int64_t YSize(const ConvGeometry& g) {
  return g.batch * g.groups * g.out_channels * g.out_pixels();
}
int64_t WSize(const ConvGeometry& g) {
  return g.groups * g.out_channels * g.in_channels * g.taps();
}

// f(place in x, in w, in y) of every product, for kernels over a plane.
template <class F>
void ForEachProduct(const ConvGeometry& g, F&& f) {
  int64_t rows = g.groups * g.out_channels;
  for (int64_t n = 0; n < g.batch; ++n) {
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = 0; c < g.in_channels; ++c) {
        int64_t channel = r / g.out_channels * g.in_channels + c;
        for (int64_t q1 = 0; q1 < g.out[1]; ++q1) {
          for (int64_t q2 = 0; q2 < g.out[2]; ++q2) {
            for (int64_t t1 = 0; t1 < g.kernel[1]; ++t1) {
              for (int64_t t2 = 0; t2 < g.kernel[2]; ++t2) {
                int64_t y = q1 * g.stride[1] + t1 * g.dilation[1] - g.pad[1];
                int64_t x = q2 * g.stride[2] + t2 * g.dilation[2] - g.pad[2];
                if (y < 0 || y >= g.in[1] || x < 0 || x >= g.in[2]) continue;
                f(static_cast<size_t>(
                      ((n * g.groups * g.in_channels + channel) * g.in[1] + y) *
                          g.in[2] +
                      x),
                  static_cast<size_t>(
                      ((r * g.in_channels + c) * g.kernel[1] + t1) *
                          g.kernel[2] +
                      t2),
                  static_cast<size_t>(
                      ((n * rows + r) * g.out[1] + q1) * g.out[2] + q2));
              }
            }
          }
        }
      }
    }
  }
}

enum Pass { kForward, kInputGrad, kFilterGrad };

bool Strided(const ConvGeometry& g) {
  return g.stride[1] > 1 || g.stride[2] > 1;
}

// `scattered`: take the path of strided input gradients whatever the stride.
template <class T>
std::vector<T> Convolve(const ConvGeometry& g, Pass pass,
                        const std::vector<T>& a, const std::vector<T>& b,
                        WorkerPool* pool, bool scattered = false) {
  static const OpRecord op;
  static const Attrs attrs;
  static const NodeInfo node;
  StepContext step;
  step.pool = pool;
  KernelContext ctx(op, attrs, node, step, {}, {});
  int64_t sizes[] = {YSize(g), XSize(g), WSize(g)};
  std::vector<T> out(static_cast<size_t>(sizes[pass]), T(-77.0f));
  scattered = scattered || (pass == kInputGrad && Strided(g));
  int64_t bytes = pass == kForward
                      ? CorrelateWorkspace<T>(ForwardCorrelation(g))
                  : pass == kFilterGrad ? FilterGradWorkspace<T>(g)
                  : scattered           ? ScatterGradWorkspace<T>(g)
                              : CorrelateWorkspace<T>(InputGradCorrelation(g));
  // Filled with NaN: nothing may be read before it is written.
  std::vector<float> workspace(static_cast<size_t>(bytes / 4 + 16), NAN);
  auto address = reinterpret_cast<uintptr_t>(workspace.data());
  ctx.set_workspace(reinterpret_cast<void*>((address + 63) / 64 * 64));
  if (pass == kForward) {
    Correlate(ForwardCorrelation(g), b.data(), a.data(), out.data(), ctx);
  } else if (pass == kFilterGrad) {
    FilterGrad(g, a.data(), b.data(), out.data(), ctx);
  } else if (scattered) {
    ScatterGrad(g, b.data(), a.data(), out.data(), ctx);
  } else {
    Correlate(InputGradCorrelation(g), b.data(), a.data(), out.data(), ctx);
  }
  return out;
}

std::vector<ConvGeometry> Shapes() {
  return {
      // Around the tile's sizes, and pixels of several images in one panel.
      Plane(3, 1, 5, 9, 5, 5, 3, 1, 1),
      Plane(7, 1, 8, 16, 1, 1, 1, 1, 0),
      Plane(2, 1, 3, 33, 13, 11, 3, 1, 1),
      Plane(1, 1, 1, 24, 28, 28, 5, 1, 2),
      // More than one block of k, of columns and of rows.
      Plane(2, 1, 90, 70, 9, 9, 3, 1, 1),
      Plane(1, 1, 40, 130, 30, 20, 3, 1, 1),
      Plane(1, 1, 700, 12, 4, 6, 1, 1, 0),
      // Strides and dilations that share factors, or do not.
      Plane(2, 1, 3, 20, 31, 29, 7, 2, 3),
      Plane(1, 1, 6, 11, 23, 23, 5, 4, 2),
      Plane(1, 1, 6, 11, 23, 27, 3, 2, 2, 2),
      Plane(1, 1, 6, 11, 25, 27, 3, 3, 4, 2),
      Plane(1, 1, 6, 11, 25, 27, 4, 4, 0, 6),
      Plane(2, 1, 16, 24, 12, 14, 1, 2, 0),
      // Padding wider than the kernel's reach.
      Plane(1, 1, 4, 9, 6, 6, 2, 1, 4),
      Plane(1, 1, 4, 9, 6, 6, 2, 3, 5),
      // Groups, depthwise, few channels on one side.
      Plane(2, 3, 4, 6, 9, 10, 3, 1, 1),
      Plane(2, 20, 1, 1, 12, 19, 3, 1, 1),
      Plane(2, 20, 1, 1, 12, 19, 3, 2, 1),
      Plane(2, 6, 1, 2, 12, 33, 5, 1, 2),
      Plane(1, 1, 50, 1, 10, 17, 3, 1, 1),
      Plane(1, 1, 30, 3, 10, 18, 3, 1, 1),
      Plane(1, 1, 30, 4, 10, 40, 3, 2, 1),
      Plane(1, 1, 2, 40, 14, 14, 5, 1, 2),
      // Lines of outputs in blocks of one to four; a line's rest.
      Plane(2, 1, 1, 9, 15, 13, 5, 1, 2),
      Plane(1, 1, 7, 1, 9, 9, 2, 1, 0),
      Plane(1, 1, 9, 1, 15, 13, 3, 1, 2, 2),
      Plane(2, 1, 1, 10, 40, 37, 5, 2, 2),
      Plane(1, 2, 2, 7, 17, 23, 4, 1, 1),
      // Lines of few channels: every number of kernel rows, of lines and of
      // vectors in a block; lines in parts; padding beyond a vector, on both
      // sides of one element, or of more than the kernel's reach.
      Plane(3, 1, 6, 1, 11, 5, 4, 1, 3),
      Plane(3, 1, 5, 2, 7, 21, 7, 1, 3),
      Plane(2, 1, 40, 3, 9, 30, 6, 1, 2),
      Plane(3, 2, 3, 4, 6, 8, 5, 1, 4),
      Plane(2, 1, 2, 1, 9, 19, 7, 1, 0),
      Plane(3, 1, 4, 2, 3, 1, 2, 1, 2),
      Plane(4, 1, 3, 1, 10, 37, 3, 1, 12),
      Plane(2, 1, 200, 1, 6, 75, 3, 1, 1),
      Spread(Plane(3, 1, 5, 2, 13, 26, 3, 1, 2), 2),
      Spread(Plane(3, 5, 1, 1, 8, 40, 5, 1, 2), 5),
      // Images that take several rounds.
      Plane(2, 1, 2, 5, 1100, 1000, 2, 1, 0),
      Plane(5, 1, 33, 5, 120, 130, 3, 1, 1),
      Plane(6, 33, 1, 1, 130, 120, 3, 1, 1),
  };
}

std::string Text(const ConvGeometry& g) {
  return StrCat(g.batch, " images, ", g.groups, " groups, ", g.in_channels,
                " -> ", g.out_channels, ", ", g.in[1], "x", g.in[2],
                ", kernel ", g.kernel[1], " stride ", g.stride[1], " pad ",
                g.pad[1], " dilation ", g.dilation[1]);
}

int64_t Products(const ConvGeometry& g) {
  return YSize(g) * g.in_channels * g.taps();
}
// Under emulation only fast cases.
bool TooLong(const ConvGeometry& g) {
  return std::getenv("SLUICE_EMULATED") && Products(g) > 200'000;
}

TEST(Conv, MatchesNestedLoops) {
  WorkerPool pool(2);
  for (const ConvGeometry& g : Shapes()) {
    if (TooLong(g)) continue;
    SCOPED_TRACE(Text(g));
    std::vector<float> x = Numbers(XSize(g), 1, 1), w = Numbers(WSize(g), 2, 1);
    std::vector<float> dy = Numbers(YSize(g), 3, 1);
    std::vector<float> y(dy.size(), 0), dx(x.size(), 0), dw(w.size(), 0);
    ForEachProduct(g, [&](size_t i, size_t k, size_t o) {
      y[o] += x[i] * w[k];
      dx[i] += dy[o] * w[k];
      dw[k] += dy[o] * x[i];
    });
    EXPECT_TRUE(Convolve(g, kForward, x, w, &pool) == y) << "forward";
    EXPECT_TRUE(Convolve(g, kInputGrad, dy, w, &pool) == dx)
        << "input gradient";
    EXPECT_TRUE(Convolve(g, kInputGrad, dy, w, &pool, true) == dx)
        << "scattered";
    EXPECT_TRUE(Convolve(g, kFilterGrad, x, dy, &pool) == dw)
        << "filter gradient";
  }
}

// Sums are floats, exact, and rounded once.
std::vector<bf16> Rounded(const std::vector<float>& sums) {
  std::vector<bf16> v;
  for (float sum : sums) v.push_back(static_cast<bf16>(sum));
  return v;
}
bool SameBits(const std::vector<bf16>& a, const std::vector<bf16>& b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), a.size() * sizeof(bf16)) == 0;
}

// The short ones, and one that takes several rounds.
std::vector<ConvGeometry> ShapesOfBFloat16() {
  std::vector<ConvGeometry> shapes = Shapes();
  std::erase_if(shapes,
                [](const ConvGeometry& g) { return Products(g) > 5'000'000; });
  shapes.push_back(Plane(5, 1, 16, 16, 200, 200, 1, 1, 0));
  return shapes;
}

TEST(Conv, OfBFloat16MatchesNestedLoops) {
  WorkerPool pool(2);
  for (const ConvGeometry& g : ShapesOfBFloat16()) {
    if (TooLong(g)) continue;
    SCOPED_TRACE(Text(g));
    std::vector<float> x = Numbers(XSize(g), 1, 1), w = Numbers(WSize(g), 2, 1);
    std::vector<float> dy = Numbers(YSize(g), 3, 1);
    std::vector<float> y(dy.size(), 0), dx(x.size(), 0);
    ForEachProduct(g, [&](size_t i, size_t k, size_t o) {
      y[o] += x[i] * w[k];
      dx[i] += dy[o] * w[k];
    });
    EXPECT_TRUE(SameBits(Convolve(g, kForward, Rounded(x), Rounded(w), &pool),
                         Rounded(y)))
        << "forward";
    EXPECT_TRUE(SameBits(
        Convolve(g, kInputGrad, Rounded(dy), Rounded(w), &pool), Rounded(dx)))
        << "input gradient";
  }
}

TEST(Conv, OfBFloat16DoesNotDependOnThreads) {
  WorkerPool pool(3);
  for (const ConvGeometry& g : ShapesOfBFloat16()) {
    if (TooLong(g)) continue;
    SCOPED_TRACE(Text(g));
    std::vector<bf16> x = Rounded(Numbers(XSize(g), 1, 0.1f));
    std::vector<bf16> w = Rounded(Numbers(WSize(g), 2, 0.3f));
    EXPECT_TRUE(SameBits(Convolve(g, kForward, x, w, &pool),
                         Convolve(g, kForward, x, w, nullptr)));
  }
}

// Vectors that overlap the end of a line must not multiply elements that they
// do not add: zero times infinity is not zero.
TEST(Conv, InfinityReachesOnlyItsWindow) {
  ConvGeometry g = Plane(1, 1, 1, 8, 11, 11, 3, 1, 1);
  std::vector<float> x(static_cast<size_t>(XSize(g)), 1.0f);
  std::vector<float> w(static_cast<size_t>(WSize(g)), 1.0f);
  std::vector<float> dy(static_cast<size_t>(YSize(g)), 1.0f);
  // Column 7 is in the last whole vector of a line of 11 and in the rest's.
  x[9 * 11 + 7] = dy[9 * 11 + 7] = INFINITY;
  std::vector<float> y(dy.size(), 0), dx(x.size(), 0), dw(w.size(), 0);
  std::vector<float> ones(x.size(), 1.0f);
  ForEachProduct(g, [&](size_t i, size_t k, size_t o) {
    y[o] += x[i] * w[k];
    dx[i] += dy[o] * w[k];
    dw[k] += ones[i] * dy[o];
  });
  EXPECT_TRUE(Convolve(g, kForward, x, w, nullptr) == y);
  EXPECT_TRUE(Convolve(g, kInputGrad, dy, w, nullptr) == dx);
  EXPECT_TRUE(Convolve(g, kFilterGrad, ones, dy, nullptr) == dw);
  std::fill(dy.begin(), dy.end(), 1.0f);
  std::fill(dw.begin(), dw.end(), 0.0f);
  ForEachProduct(g,
                 [&](size_t i, size_t k, size_t o) { dw[k] += x[i] * dy[o]; });
  EXPECT_TRUE(Convolve(g, kFilterGrad, x, dy, nullptr) == dw);
}

// The same for lines that are read in place, one behind the other.
TEST(Conv, InfinityAtALinesEndIsNotInTheNextLine) {
  ConvGeometry g = Plane(3, 1, 1, 2, 11, 11, 5, 1, 2);
  std::vector<float> w(static_cast<size_t>(WSize(g)), 1.0f);
  std::vector<float> x(static_cast<size_t>(XSize(g)), 1.0f);
  std::vector<float> dy(static_cast<size_t>(YSize(g)), 1.0f);
  // The middle image, so that its surroundings can be read.
  x[121 + 4 * 11 + 10] = dy[242 + 4 * 11 + 10] = INFINITY;
  x[121 + 7 * 11] = dy[242 + 7 * 11] = INFINITY;
  std::vector<float> y(dy.size(), 0), dx(x.size(), 0);
  ForEachProduct(g, [&](size_t i, size_t k, size_t o) {
    y[o] += x[i] * w[k];
    dx[i] += dy[o] * w[k];
  });
  EXPECT_TRUE(Convolve(g, kForward, x, w, nullptr) == y);
  EXPECT_TRUE(Convolve(g, kInputGrad, dy, w, nullptr) == dx);
}

TEST(Conv, ThreadsChangeNothing) {
  WorkerPool pool(3);
  for (const ConvGeometry& g : Shapes()) {
    if (TooLong(g)) continue;
    SCOPED_TRACE(Text(g));
    std::vector<float> x = Numbers(XSize(g), 1, 0.1f);
    std::vector<float> w = Numbers(WSize(g), 2, 0.3f);
    std::vector<float> dy = Numbers(YSize(g), 3, 0.7f);
    EXPECT_TRUE(Convolve(g, kForward, x, w, &pool) ==
                Convolve(g, kForward, x, w, nullptr));
    EXPECT_TRUE(Convolve(g, kInputGrad, dy, w, &pool) ==
                Convolve(g, kInputGrad, dy, w, nullptr));
    EXPECT_TRUE(Convolve(g, kInputGrad, dy, w, &pool, true) ==
                Convolve(g, kInputGrad, dy, w, nullptr, true));
    EXPECT_TRUE(Convolve(g, kFilterGrad, x, dy, &pool) ==
                Convolve(g, kFilterGrad, x, dy, nullptr));
  }
}

}  // namespace
}  // namespace sluice
