// Whether two arrays may look at the same elements.
#pragma once

#include "sluice/tensor/array.h"

namespace sluice {

inline bool SameMemory(const Array& a, const Array& b) {
  if (a.address() == b.address() || (a.buffer() && a.buffer() == b.buffer())) {
    return true;
  }
  // Small arrays have no buffer: views lead to them, one after the other.
  auto root = [](const ArrayRep* rep) {
    while (rep->base) rep = rep->base;
    return rep;
  };
  return root(a.rep()) == root(b.rep());
}

}  // namespace sluice
