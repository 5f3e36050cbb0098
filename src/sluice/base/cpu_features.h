// The processor features beyond those the compiler was told to assume. Detected
// once at start-up; kernels choose by them at run time.
//
// SLUICE_CPU lowers the choice, for tests and comparisons: "baseline", "avx2",
// "avx512", "neon" (no bf16 or int8 matrix instructions). Unknown words and
// levels that the machine lacks are ignored.
#pragma once

#include <cstdint>
#include <string>

namespace sluice {

// The instruction set that plain C++ loops are compiled for, in ascending
// order. On aarch64 the baseline has everything such loops use.
enum class CpuLevel : uint8_t {
  kBaseline,  // x86_64: SSE2; aarch64: NEON with fused multiply-add
  kAvx2,      // AVX2, FMA, F16C
  kAvx512,    // AVX-512 F, BW, DQ, VL
};

struct CpuFeatures {
  CpuLevel level = CpuLevel::kBaseline;
  // aarch64: half-precision arithmetic; bf16 and int8 matrix products; dot
  // products of int8.
  bool neon_f16 = false, neon_bf16 = false, neon_i8mm = false,
       neon_dotprod = false;
  // x86_64: bf16 dot products (AVX512_BF16), int8 dot products (AVX512_VNNI).
  bool avx512_bf16 = false, avx512_vnni = false;

  // "neon f16 bf16 i8mm", "avx512 vnni": for `sluice info` and benchmarks.
  std::string ToString() const;
};

const CpuFeatures& Cpu();

}  // namespace sluice
