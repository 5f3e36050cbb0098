// Adopt: turns an array that nobody else holds into one of another CPU device,
// without moving it, so that a kernel there may write over it. Only for small
// arrays, whose elements follow their rep: a buffer stays in the accounts of
// the device that made it until it is freed.
//
// A plain function; one thread at a time has such an array.
#pragma once

#include "sluice/tensor/array.h"

namespace sluice {

// Whether the array is one of `memory`'s, now. REQUIRES: a.unique().
bool AdoptElsewhere(const Array& a, Memory* memory);
inline bool Adopt(const Array& a, Memory* memory) {
  return a.memory() == memory || AdoptElsewhere(a, memory);
}

}  // namespace sluice
