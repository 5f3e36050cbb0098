// What ops made of matrix products share: element types, and telling the
// launch's fused neighbours of finished rectangles of its output.
#pragma once

#include "sluice/kernels/cpu/gemm/gemm.h"
#include "sluice/op/kernel_context.h"

namespace sluice {

// The types a product takes and gives back: all floats, i32 and i64.
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

// Output 0 is a stack of n-column matrices; this one begins at element `begin`.
struct GemmFinish {
  const KernelContext& ctx;
  int64_t begin, n;

  GemmDone done() const {
    if (!ctx.has_epilogue()) return {};
    return {[](const void* context, int64_t row, int64_t rows, int64_t column,
               int64_t columns) {
              auto& to = *static_cast<const GemmFinish*>(context);
              to.ctx.FinishTile(to.begin + row * to.n + column, rows, to.n,
                                columns);
            },
            this};
  }
};

}  // namespace sluice
