// bf16 and int8 with the tile registers of AMX: eight of 16 rows of 64 bytes.
// Four hold 32 x 32 sums, two 32 rows of A, two 32 columns of B, for 64 bytes
// of k in each step. In its panel, A has 64 adjacent bytes of k; B has groups
// of 4 bytes of k, as dot-product instructions also require. Subnormal bf16
// numbers count as zero.
#if defined(__x86_64__)

#include <immintrin.h>

#include <algorithm>
#include <cstring>

#include "sluice/kernels/cpu/gemm/halves.h"
#include "sluice/kernels/cpu/gemm/kits.h"
#include "sluice/kernels/cpu/gemm/pack_groups.h"
#include "sluice/kernels/cpu/gemm/turn.h"

#define SL_TARGET_AMX __attribute__((target("amx-tile,amx-bf16,amx-int8")))

namespace sluice {

namespace {

constexpr int kSide = 32;        // of a tile of C
constexpr int64_t kDepth = 64;   // bytes of k in a step
constexpr int64_t kStep = 2048;  // bytes of a panel in a step

// The shapes of the registers, as LDTILECFG reads them.
struct alignas(64) TileShapes {
  uint8_t palette = 1, start_row = 0, reserved[14] = {};
  uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};

SL_TARGET_AMX void Enter() {
  static constexpr TileShapes kShapes;
  _tile_loadconfig(&kShapes);
}
SL_TARGET_AMX void Leave() { _tile_release(); }

enum class Product { kBF16, kS8, kU8S8 };

// P is an element of a panel, C a sum.
template <Product kOf, class P, class C>
SL_TARGET_AMX void Tile(int64_t k, const P* a_panel, const P* b_panel, C* c,
                        int64_t ldc, bool accumulate) {
  C* below = c + 16 * ldc;
  const int64_t row = ldc * static_cast<int64_t>(sizeof(C));
  if (accumulate) {
    _tile_loadd(0, c, row);
    _tile_loadd(1, c + 16, row);
    _tile_loadd(2, below, row);
    _tile_loadd(3, below + 16, row);
  } else {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
  }
  const char* a = reinterpret_cast<const char*>(a_panel);
  const char* b = reinterpret_cast<const char*>(b_panel);
  const int64_t bytes = k * static_cast<int64_t>(sizeof(P));
  for (int64_t p = 0; p < bytes; p += kDepth, a += kStep, b += kStep) {
    _tile_loadd(4, a, 64);
    _tile_loadd(6, b, 128);
    _tile_loadd(7, b + 64, 128);
    _tile_loadd(5, a + 1024, 64);
    if constexpr (kOf == Product::kBF16) {
      _tile_dpbf16ps(0, 4, 6);
      _tile_dpbf16ps(1, 4, 7);
      _tile_dpbf16ps(2, 5, 6);
      _tile_dpbf16ps(3, 5, 7);
    } else if constexpr (kOf == Product::kS8) {
      _tile_dpbssd(0, 4, 6);
      _tile_dpbssd(1, 4, 7);
      _tile_dpbssd(2, 5, 6);
      _tile_dpbssd(3, 5, 7);
    } else {
      _tile_dpbusd(0, 4, 6);
      _tile_dpbusd(1, 4, 7);
      _tile_dpbusd(2, 5, 6);
      _tile_dpbusd(3, 5, 7);
    }
  }
  _tile_stored(0, c, row);
  _tile_stored(1, c + 16, row);
  _tile_stored(2, below, row);
  _tile_stored(3, below + 16, row);
}

// Whole steps of an A that is stored k by k, whose rows are transposed; others
// are copied.
void PackTurned(const void* source, int64_t stride, bool along_k, int64_t lanes,
                int64_t k, void* to, int64_t panel_bytes) {
  if (along_k) {
    return gemm::PackGroups<kSide, 32, uint16_t>(source, stride, along_k, lanes,
                                                 k, to, panel_bytes);
  }
  const uint16_t* from = static_cast<const uint16_t*>(source);
  for (int64_t i = 0; i < lanes; i += kSide) {
    const int n = static_cast<int>(std::min<int64_t>(kSide, lanes - i));
    uint16_t* panel = reinterpret_cast<uint16_t*>(static_cast<char*>(to) +
                                                  i / kSide * panel_bytes);
    for (int64_t p = 0; p < k; p += 32, panel += 32 * kSide) {
      const int64_t depth = std::min<int64_t>(32, k - p);
      const uint16_t* part = from + p * stride + i;
      if (n == kSide && depth == 32) {
        gemm::Turn32x32(part, stride, panel);
      } else {
        gemm::PackSideBySide<kSide, 32>(part, stride, n, depth, panel);
      }
    }
  }
}

// Groups of 4 bytes of k, and zeros up to a whole step.
template <class P>
void PackB(const void* from, int64_t stride, bool along_k, int64_t lanes,
           int64_t k, void* to, int64_t panel_bytes) {
  constexpr int64_t kGroup = 4 / sizeof(P), kWhole = kDepth / sizeof(P);
  gemm::PackGroups<kSide, kGroup, P>(from, stride, along_k, lanes, k, to,
                                     panel_bytes);
  const int64_t filled = (k + kGroup - 1) / kGroup * kGroup;
  const int64_t wanted = (k + kWhole - 1) / kWhole * kWhole;
  if (filled == wanted) return;
  char* rest = static_cast<char*>(to) + filled * kSide * sizeof(P);
  for (int64_t i = 0; i < lanes; i += kSide, rest += panel_bytes) {
    std::memset(rest, 0,
                static_cast<size_t>(wanted - filled) * kSide * sizeof(P));
  }
}

template <Product kOf, class P, class C>
constexpr GemmKit Kit(int out_bytes, GemmKit::Pack pack_a,
                      GemmKit::Store store) {
  constexpr int kWhole = kDepth / sizeof(P);
  GemmKit kit;
  kit.mr = kit.nr = kSide, kit.ku = kWhole;
  // A panel of each in the first cache.
  kit.kc = 8 * kWhole;
  kit.in_bytes = kit.packed_bytes = sizeof(P);
  kit.sum_bytes = 4, kit.out_bytes = out_bytes;
  kit.pack_a = pack_a, kit.pack_b = PackB<P>;
  kit.run = gemm::RunTiles<P, C, kSide, kSide, Tile<kOf, P, C>>;
  kit.store = store;
  kit.enter = Enter, kit.leave = Leave;
  return kit;
}

}  // namespace

constinit const GemmKit kAmxBF16Kit =
    Kit<Product::kBF16, uint16_t, float>(2, PackTurned, gemm::StoreBF16);
constinit const GemmKit kAmxS8Kit = Kit<Product::kS8, uint8_t, uint32_t>(
    4, gemm::PackGroups<kSide, 64, uint8_t>, nullptr);
constinit const GemmKit kAmxU8S8Kit = Kit<Product::kU8S8, uint8_t, uint32_t>(
    4, gemm::PackGroups<kSide, 64, uint8_t>, nullptr);

}  // namespace sluice

#endif  // __x86_64__
