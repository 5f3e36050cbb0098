// The elements of an array under a count of their own: to whoever gets it, an
// array that is nobody else's, so that it may be written over in place. Whoever
// makes it knows who else looks.
#pragma once

#include "sluice/tensor/array.h"

namespace sluice {

// `release(context)` is called when the last of its holders lets go; the
// array's memory must live until then. REQUIRES: a contiguous array.
Array SameElements(const Array& array, void (*release)(void*), void* context);

}  // namespace sluice
