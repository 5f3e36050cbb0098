// Arithmetic for resources: adding to a value that may be shared, and
// averaging. Copy-on-write: a shared array is never changed. Plain functions
// without locks; the owner of the array locks.
#pragma once

#include "sluice/base/status.h"
#include "sluice/tensor/array.h"

namespace sluice {

// `array` in a form that may be kept after the step: contiguous, and copied if
// its memory belongs to somebody else.
Result<Array> OwnedArray(const Array& array);

// *target = *target + x (or - x), in place if *target is not shared, else into
// new memory. Integers wrap around.
// REQUIRES: equal shapes and dtypes, both contiguous, a numeric dtype.
Status AddTo(Array* target, const Array& x, bool subtract = false);

// sum / count, elementwise; integer division rounds towards zero.
// REQUIRES: a contiguous array of a numeric dtype; count > 0.
Result<Array> Divide(const Array& sum, int64_t count);

// The dtype used for sums of `dtype`: f32 for half types, which are too short
// for sums of many gradients.
DType SumDType(DType dtype);
// Converts between a half type and f32; shares `x` if nothing changes.
Result<Array> ConvertFloat(const Array& x, DType to);

}  // namespace sluice
