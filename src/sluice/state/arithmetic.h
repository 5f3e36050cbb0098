// The arithmetic that state does itself: adding to a value that may be shared,
// and averaging. Copy-on-write: an array that others hold is never changed. No
// locks here; the owner of the array brings its own.
#pragma once

#include "sluice/base/status.h"
#include "sluice/tensor/array.h"

namespace sluice {

// `array` as something that may be kept beyond the step: contiguous, and copied
// when its bytes belong to somebody else.
Result<Array> OwnedArray(const Array& array);

// *target = *target + x (or - x), in place when nobody else holds *target, else
// into fresh memory. Integers wrap around.
// REQUIRES: equal shapes and dtypes, both contiguous, a number dtype.
Status AddTo(Array* target, const Array& x, bool subtract = false);

// sum / count, elementwise; integers are divided towards zero.
// REQUIRES: a contiguous array of a number dtype; count > 0.
Result<Array> Divide(const Array& sum, int64_t count);

// The dtype sums of `dtype` are kept in: f32 for the half types, whose few bits
// a sum of many gradients would lose.
DType SumDType(DType dtype);
// Conversion between a half type and f32; a share of `x` when nothing changes.
Result<Array> ConvertFloat(const Array& x, DType to);

}  // namespace sluice
