// Adopt: transfers an array that nobody else holds to another CPU device
// without moving it, so that a kernel there may overwrite it. Only for small
// arrays, whose elements follow their rep: a buffer stays accounted to the
// device that allocated it until it is freed.
//
// A plain function; one thread at a time has such an array.
#pragma once

#include "sluice/tensor/array.h"

namespace sluice {

// Whether the array is accounted to `memory` after the call. REQUIRES:
// a.unique().
bool AdoptElsewhere(const Array& a, Memory* memory);
inline bool Adopt(const Array& a, Memory* memory) {
  return a.memory() == memory || AdoptElsewhere(a, memory);
}

}  // namespace sluice
