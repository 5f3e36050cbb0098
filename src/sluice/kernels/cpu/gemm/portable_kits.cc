// Kits in plain C++, for types without special instructions and for machines
// without a kit.
#include <cstring>

#include "sluice/kernels/cpu/gemm/kits.h"
#include "sluice/kernels/cpu/gemm/pack.h"
#include "sluice/kernels/cpu/gemm/pack_halves.h"
#include "sluice/kernels/cpu/gemm/tile.h"

namespace sluice {

namespace {

// 4 rows of two vectors: eight accumulators fit into the sixteen registers of
// every 64-bit machine.
template <class T>
void Tile(int64_t k, const T* a, const T* b, T* c, int64_t ldc,
          bool accumulate) {
  typedef T Vec __attribute__((vector_size(16)));
  constexpr int kWidth = 16 / sizeof(T);
  auto load = [](const T* p) {
    Vec v;
    std::memcpy(&v, p, sizeof v);
    return v;
  };
  Vec sum[4][2] = {};
  for (int64_t p = 0; p < k; ++p) {
    Vec b0 = load(b), b1 = load(b + kWidth);
    for (int i = 0; i < 4; ++i) {
      sum[i][0] += b0 * a[i];
      sum[i][1] += b1 * a[i];
    }
    a += 4, b += 2 * kWidth;
  }
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 2; ++j) {
      T* to = c + i * ldc + j * kWidth;
      Vec v = accumulate ? load(to) + sum[i][j] : sum[i][j];
      std::memcpy(to, &v, sizeof v);
    }
  }
}

template <class T>
constexpr int kColumns = 2 * 16 / sizeof(T);

template <class P, class In, class Out>
constexpr GemmKit Kit(GemmKit::Pack pack_a, GemmKit::Pack pack_b,
                      GemmKit::Store store = nullptr) {
  GemmKit kit;
  kit.mr = 4, kit.nr = kColumns<P>;
  kit.in_bytes = sizeof(In), kit.out_bytes = sizeof(Out);
  kit.packed_bytes = kit.sum_bytes = sizeof(P);
  kit.pack_a = pack_a, kit.pack_b = pack_b, kit.store = store;
  kit.run = gemm::RunTiles<P, P, 4, kColumns<P>, Tile<P>>;
  return kit;
}

}  // namespace

using gemm::Pack;
using gemm::PackHalves;

constinit const GemmKit kPortableF32Kit =
    Kit<float, float, float>(Pack<4, float>, Pack<8, float>);
constinit const GemmKit kPortableF64Kit =
    Kit<double, double, double>(Pack<4, double>, Pack<4, double>);
constinit const GemmKit kPortableF16Kit = Kit<float, f16, f16>(
    PackHalves<4, f16>, PackHalves<8, f16>, gemm::StoreF16);
constinit const GemmKit kPortableBF16Kit = Kit<float, bf16, bf16>(
    PackHalves<4, bf16>, PackHalves<8, bf16>, gemm::StoreBF16);
constinit const GemmKit kPortableI32Kit =
    Kit<uint32_t, int32_t, int32_t>(Pack<4, uint32_t>, Pack<8, uint32_t>);
constinit const GemmKit kPortableI64Kit =
    Kit<uint64_t, int64_t, int64_t>(Pack<4, uint64_t>, Pack<4, uint64_t>);
constinit const GemmKit kPortableS8Kit = Kit<uint32_t, int8_t, int32_t>(
    Pack<4, int8_t, uint32_t>, Pack<8, int8_t, uint32_t>);
constinit const GemmKit kPortableU8S8Kit = Kit<uint32_t, uint8_t, int32_t>(
    Pack<4, uint8_t, uint32_t>, Pack<8, int8_t, uint32_t>);

}  // namespace sluice
