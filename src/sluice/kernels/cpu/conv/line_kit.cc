#include "sluice/kernels/cpu/conv/line_kit.h"

#include <type_traits>
#include <utility>

namespace sluice::conv {

namespace {

// The width of a block in vectors: sums of four lines, a few vectors of the
// image and the weights fill 32 registers, or 16 at the lower levels of x86.
// With a single short vector the machine would wait for its sums.
constexpr int kLeast = kLanesFillVectors ? 2 : 1;
constexpr int kMost = kLanesFillVectors ? 4 : 2;

template <int kBytes, int K, int R, int V>
LineKit::Fn LoopFor() {
  using Loop = LineBlockLoop<kBytes, K, R, V>;
#if defined(__x86_64__)
  if constexpr (kBytes == 64) return &isa::RunAvx512<Loop, const LineBlock*>;
  if constexpr (kBytes == 32) return &isa::RunAvx2<Loop, const LineBlock*>;
#endif
  return &isa::RunBaseline<Loop, const LineBlock*>;
}

// f(integral_constant) for kFirst to kLast.
template <int kFirst, int kLast, class F>
void ForEach(F f) {
  [&]<int... I>(std::integer_sequence<int, I...>) {
    (f(std::integral_constant<int, kFirst + I>()), ...);
  }(std::make_integer_sequence<int, kLast - kFirst + 1>());
}

struct Kits {
  LineKit kits[kMostKernelRows - kLeastKernelRows + 1];

  Kits() {
#if defined(__x86_64__)
    switch (Cpu().level) {
      case CpuLevel::kAvx512:
        Fill<64>();
        return;
      case CpuLevel::kAvx2:
        Fill<32>();
        return;
      case CpuLevel::kBaseline:
        break;
    }
#endif
    Fill<16>();
  }
  template <int kBytes>
  void Fill() {
    ForEach<kLeastKernelRows, kMostKernelRows>([&](auto k) {
      LineKit& kit = kits[k - kLeastKernelRows];
      kit.least = kLeast, kit.most = kMost;
      kit.count = Lanes<float, kBytes>::kCount;
      static_assert(Lanes<float, kBytes>::kCount <= kMostLineCount);
      ForEach<kLeastBlockLines, kBlockLines>([&](auto r) {
        ForEach<kLeast, kMost>([&](auto v) {
          kit.run[r - kLeastBlockLines][v - 1] = LoopFor<kBytes, k, r, v>();
        });
      });
    });
  }
};

}  // namespace

const LineKit& LineKitFor(int64_t kernel_rows) {
  static const Kits kits;
  return kits.kits[kernel_rows - kLeastKernelRows];
}

}  // namespace sluice::conv
