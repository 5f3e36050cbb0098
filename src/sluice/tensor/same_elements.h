// A second array over the same elements with a separate reference count: its
// holder is a sole owner and may overwrite it in place. The code that makes it
// knows who else reads the elements.
#pragma once

#include "sluice/tensor/array.h"

namespace sluice {

// `release(context)` is called when the last of its holders is gone; the
// array's memory must live until then. REQUIRES: a contiguous array.
Array SameElements(const Array& array, void (*release)(void*), void* context);

}  // namespace sluice
