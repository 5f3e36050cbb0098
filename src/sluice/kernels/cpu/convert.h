// Conversion of runs of elements between plain types. Numbers that do not fit
// an integer type: floats go to its nearest end (NaN to 0), integers wrap.
// Complex numbers give their real part; anything but zero is true.
#pragma once

#include "sluice/op/block.h"

namespace sluice {

// The block function that converts `from` to `to`; fn == null unless both are
// plain types.
BlockKernel ConvertBlock(DType from, DType to);

}  // namespace sluice
