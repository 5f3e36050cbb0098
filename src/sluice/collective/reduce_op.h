// ReduceOp: how the values of several ranks are combined, and the loops for it.
//
// Values and pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "sluice/base/status.h"
#include "sluice/tensor/dtype.h"

namespace sluice::collective {

enum class ReduceOp : uint8_t {
  kSum,
  kAvg,  // the sum divided by the number of ranks
  kProduct,
  kMin,
  kMax,
  kBand,
  kBor,
  kBxor,
};

std::string_view ReduceName(ReduceOp op);  // "sum"
// Error: no reduction has that name.
Result<ReduceOp> ReduceFromName(std::string_view name);

// into[i] = a[i] op b[i]; `into` may be a or b. min and max propagate NaN.
using CombineFn = void (*)(void* into, const void* a, const void* b, int64_t n);
// The combiner for one hop of a reduction; for kAvg it is the sum. Error: the
// type does not support the reduction.
Result<CombineFn> CombinerFor(ReduceOp op, DType dtype);

// x[i] /= ranks, in the type's own arithmetic: the last step of kAvg. REQUIRES:
// a type for which CombinerFor supports kAvg.
void DivideBy(int64_t ranks, DType dtype, void* x, int64_t n);

}  // namespace sluice::collective
