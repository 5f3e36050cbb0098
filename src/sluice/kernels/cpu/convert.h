// Converts contiguous elements between plain types. Out-of-range numbers:
// floats become the nearest limit of an integer type (NaN becomes 0), integers
// wrap. Complex numbers convert by their real part; nonzero is true. Plain
// functions; any thread.
#pragma once

#include "sluice/op/block.h"

namespace sluice {

// The block function that converts `from` to `to`; fn == null unless both are
// plain types.
BlockKernel ConvertBlock(DType from, DType to);

}  // namespace sluice
