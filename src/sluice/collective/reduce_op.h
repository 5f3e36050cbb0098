// ReduceOp: how the values of several ranks become one, and the loops for it.
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
// Error: there is none of that name.
Result<ReduceOp> ReduceFromName(std::string_view name);

// into[i] = a[i] op b[i]; `into` may be a or b. NaN wins min and max.
using CombineFn = void (*)(void* into, const void* a, const void* b, int64_t n);
// What one hop of a reduction does; of kAvg it is the sum. Error: elements of
// that type are not reduced that way.
Result<CombineFn> CombinerFor(ReduceOp op, DType dtype);

// x[i] /= ranks, in the type's own arithmetic: the end of kAvg. REQUIRES: a
// type that CombinerFor takes with kAvg.
void DivideBy(int64_t ranks, DType dtype, void* x, int64_t n);

}  // namespace sluice::collective
