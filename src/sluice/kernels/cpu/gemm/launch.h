// Shared by ops that are matrix products. Constants and plain functions.
#pragma once

#include "sluice/kernels/cpu/gemm/batch.h"
#include "sluice/kernels/cpu/gemm/gemm.h"

namespace sluice {

// The types a product reads and writes: all floats, i32 and i64.
inline constexpr DTypeSet kGemmTypes = kFloats | kIndices;

inline GemmType GemmTypeOf(DType dtype) {
  switch (dtype) {
    case DType::kF64:
      return GemmType::kF64;
    case DType::kF16:
      return GemmType::kF16;
    case DType::kBF16:
      return GemmType::kBF16;
    case DType::kI32:
      return GemmType::kI32;
    case DType::kI64:
      return GemmType::kI64;
    default:
      return GemmType::kF32;
  }
}

}  // namespace sluice
