// Class labels as data: any number may occur. Plain functions; any thread.
#pragma once

#include "sluice/op/kernel_context.h"

namespace sluice {

// Error unless every element of input i is a class below `classes`, or equals
// `ignored` if that is given.
Status CheckLabels(const KernelContext& ctx, int i, int64_t classes,
                   const int64_t* ignored = nullptr);

// Element k of an array of i32 or i64.
int64_t LabelAt(const Array& labels, int64_t k);

}  // namespace sluice
