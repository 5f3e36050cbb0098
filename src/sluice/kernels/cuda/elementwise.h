// Elementwise ops on a GPU: one generic kernel, generated from the formula in
// the op's own file.
//
// Plain functions; any thread.
#pragma once

#include <string>

#include "sluice/op/record.h"

namespace sluice {

// The source of the op's kernels for these types: functions flat, strided32 and
// strided64. Empty: the op has no formula for them.
std::string ElementwiseSource(const OpRecord& op, const Attrs& attrs,
                              std::span<const DType> in, DType out);

}  // namespace sluice
