#include "sluice/kernels/cpu/conv/few_filter_grad.h"

#include <algorithm>
#include <type_traits>

#include "sluice/base/worker_pool.h"
#include "sluice/kernels/cpu/conv/carve.h"
#include "sluice/kernels/cpu/conv/lanes.h"
#include "sluice/kernels/cpu/conv/tap_layout.h"
#include "sluice/kernels/cpu/elementwise.h"

namespace sluice {

namespace {

template <class T>
struct Parts {
  using C = Compute<T>;

  Parts(const ConvGeometry& g, void* workspace)
      : layout(MakeTapLayout(ForwardCorrelation(g), false)) {
    images = ImagesPerRound(g.batch, layout.image * sizeof(C));
    Carve carve(workspace);
    offsets = carve.Take<int64_t>(g.taps());
    copies = carve.Take<C>(images * layout.image);
    sums = carve.Take<C>(g.groups * g.out_channels * g.in_channels * g.taps());
    bytes = carve.bytes();
  }

  TapLayout layout;
  int64_t images;  // per round
  int64_t* offsets;
  C* copies;
  C* sums;  // like dw
  int64_t bytes;
};

// Inner products of some lines of y's gradient with the image at kTaps taps.
constexpr int kVectors = 2;
template <class T, int kTaps>
struct InnerProducts {
  using C = Compute<T>;
  using Lanes = conv::Lanes<C>;
  static constexpr int kWide = kVectors * Lanes::kCount;

  Lanes sum[kTaps][kVectors];
  C rest[kTaps] = {};

  SL_INLINE void AddLine(const T* dy, const C* x, const int64_t* offsets,
                         int64_t n) {
    int64_t i = 0;
    for (; i + kWide <= n; i += kWide) {
      C wide[kWide];
      for (int k = 0; k < kWide; ++k) wide[k] = static_cast<C>(dy[i + k]);
#pragma GCC unroll 2
      for (int v = 0; v < kVectors; ++v) {
        Lanes gradient;
        gradient.Load(wide + v * Lanes::kCount);
#pragma GCC unroll 8
        for (int t = 0; t < kTaps; ++t) {
          Lanes image;
          image.Load(x + offsets[t] + i + v * Lanes::kCount);
          sum[t][v].AddProduct(gradient, image);
        }
      }
    }
    for (; i < n; ++i) {
      for (int t = 0; t < kTaps; ++t) {
        rest[t] += static_cast<C>(dy[i]) * x[offsets[t] + i];
      }
    }
  }
  SL_INLINE C Total(int tap) const {
    C total = rest[tap];
    for (int v = 0; v < kVectors; ++v) {
      for (int i = 0; i < Lanes::kCount; ++i) total += sum[tap][v].v[i];
    }
    return total;
  }
};

// One output channel with one image channel of a round of images.
template <class T>
struct ChannelPair {
  using C = Compute<T>;
  const ConvGeometry& g;
  const Parts<T>& parts;
  const T* dy;  // of the first image
  const C* copies;
  int64_t images;
  bool first_round;
  C* sums;

  template <int kTaps>
  void Taps(int64_t tap) const {
    InnerProducts<T, kTaps> products;
    const TapLayout& layout = parts.layout;
    int64_t dy_image = g.groups * g.out_channels * g.out_pixels();
    for (int64_t n = 0; n < images; ++n) {
      const T* line = dy + n * dy_image;
      for (int64_t q0 = 0; q0 < g.out[0]; ++q0) {
        for (int64_t q1 = 0; q1 < g.out[1]; ++q1, line += g.out[2]) {
          products.AddLine(line,
                           copies + n * layout.image + q0 * layout.step[0] +
                               q1 * layout.step[1],
                           parts.offsets + tap, g.out[2]);
        }
      }
    }
    for (int t = 0; t < kTaps; ++t) {
      C total = products.Total(t);
      sums[tap + t] = first_round ? total : sums[tap + t] + total;
    }
  }
  void Run() const {
    int64_t taps = g.taps(), tap = 0;
    for (; tap + 8 <= taps; tap += 8) Taps<8>(tap);
    for (; tap + 3 <= taps; tap += 3) Taps<3>(tap);
    for (; tap < taps; ++tap) Taps<1>(tap);
  }
};

}  // namespace

template <class T>
int64_t FewFilterGradWorkspace(const ConvGeometry& g) {
  return Parts<T>(g, nullptr).bytes;
}

template <class T>
void FewFilterGrad(const ConvGeometry& g, const T* x, const T* dy, T* dw,
                   const KernelContext& ctx) {
  WorkerPool* pool = ctx.step().pool;
  Parts<T> parts(g, ctx.workspace());
  const TapLayout& layout = parts.layout;
  layout.FillOffsets(1, parts.offsets);
  int64_t channels = g.groups * g.in_channels;
  int64_t rows = g.groups * g.out_channels;
  for (int64_t first = 0; first < g.batch; first += parts.images) {
    int64_t images = std::min(parts.images, g.batch - first);
    const T* from = x + first * channels * g.in_pixels();
    const T* gradients = dy + first * rows * g.out_pixels();
    int64_t grain = std::max<int64_t>(1, 16384 / layout.channel);
    ParallelFor(pool, images * channels, grain, [&](int64_t b, int64_t e) {
      for (int64_t i = b; i < e; ++i) {
        CopyToTaps(layout, from + i * g.in_pixels(),
                   parts.copies + i * layout.channel);
      }
    });
    int64_t work = images * g.out_pixels() * g.taps();
    ParallelFor(pool, rows * g.in_channels, std::max<int64_t>(1, 65536 / work),
                [&](int64_t b, int64_t e) {
                  for (int64_t i = b; i < e; ++i) {
                    int64_t row = i / g.in_channels;
                    int64_t channel = row / g.out_channels * g.in_channels +
                                      i % g.in_channels;
                    ChannelPair<T>{g,
                                   parts,
                                   gradients + row * g.out_pixels(),
                                   parts.copies + channel * layout.channel,
                                   images,
                                   first == 0,
                                   parts.sums + i * g.taps()}
                        .Run();
                  }
                });
  }
  int64_t size = rows * g.in_channels * g.taps();
  for (int64_t i = 0; i < size; ++i) dw[i] = static_cast<T>(parts.sums[i]);
  ctx.Finish(0, size);
}

#define SL_INSTANTIATE(T)                                                     \
  template int64_t FewFilterGradWorkspace<T>(const ConvGeometry&);            \
  template void FewFilterGrad<T>(const ConvGeometry&, const T*, const T*, T*, \
                                 const KernelContext&);
SL_INSTANTIATE(float)
SL_INSTANTIATE(double)
SL_INSTANTIATE(f16)
SL_INSTANTIATE(bf16)
#undef SL_INSTANTIATE

}  // namespace sluice
