// The kits by instruction set, for KitFor and for tests, which must check Cpu()
// before running one. Constants; any thread.
#pragma once

#include "sluice/kernels/cpu/gemm/kit.h"

namespace sluice {

namespace gemm {

// A GemmKit::Run made from a function for whole tiles: partial tiles at the
// edges go through a tile on the stack.
template <class P, class C, int R, int N,
          void (*kTile)(int64_t, const P*, const P*, C*, int64_t, bool)>
void RunTiles(int64_t k, const void* a, const void* b, void* c, int64_t ldc,
              int rows, int columns, bool accumulate) {
  const P* pa = static_cast<const P*>(a);
  const P* pb = static_cast<const P*>(b);
  C* to = static_cast<C*>(c);
  if (rows == R && columns == N) {
    return kTile(k, pa, pb, to, ldc, accumulate);
  }
  alignas(64) C whole[R * N];
  kTile(k, pa, pb, whole, N, false);
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) {
      C& v = to[i * ldc + j];
      v = accumulate ? v + whole[i * N + j] : whole[i * N + j];
    }
  }
}

}  // namespace gemm

// For any machine. Half types are widened while packing; int8 too, to 32 bits.
extern const GemmKit kPortableF32Kit, kPortableF64Kit, kPortableI32Kit,
    kPortableI64Kit, kPortableS8Kit, kPortableU8S8Kit;
#if defined(__aarch64__)
extern const GemmKit kNeonF32Kit, kNeonF64Kit, kNeonF16Kit, kNeonBF16Kit;
extern const GemmKit kMatrixBF16Kit;                // neon_bf16
extern const GemmKit kMatrixS8Kit, kMatrixU8S8Kit;  // neon_i8mm
extern const GemmKit kDotS8Kit, kDotU8S8Kit;        // neon_dotprod
#elif defined(__x86_64__)
extern const GemmKit kAvx2F32Kit, kAvx2F64Kit, kAvx2F16Kit, kAvx2BF16Kit;
extern const GemmKit kAvx2S8Kit, kAvx2U8S8Kit;
extern const GemmKit kAvx512F32Kit, kAvx512F64Kit, kAvx512F16Kit,
    kAvx512BF16Kit;
extern const GemmKit kAvx512DotBF16Kit;                    // avx512_bf16
extern const GemmKit kAvx512S8Kit, kAvx512U8S8Kit;         // avx512_vnni
extern const GemmKit kAmxBF16Kit, kAmxS8Kit, kAmxU8S8Kit;  // AmxAllowed()
#endif
extern const GemmKit kPortableF16Kit, kPortableBF16Kit;

}  // namespace sluice
