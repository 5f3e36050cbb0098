// KeptBytes: the memory of an array, or of everything in a list.
#pragma once

#include <cstdint>

#include "sluice/tensor/array.h"

namespace sluice {

// An array's own bytes; of a list those of its elements, of lists among them as
// well. What several of them share is counted once, an empty list not at all.
int64_t KeptBytes(const Array& value);

}  // namespace sluice
