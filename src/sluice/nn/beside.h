// What a layer makes itself, zeros of a state or ones for a scale, goes where
// the tensors are that it is used with.
#pragma once

#include <source_location>

#include "sluice/eager/tensor.h"
#include "sluice/tensor/array.h"

namespace sluice::nn {

// `made` on the device that x is on. Of a graph's tensors it stays as it is:
// placement sees to them.
inline Tensor Beside(
    const Tensor& x, Tensor made,
    std::source_location where = std::source_location::current()) {
  if (x.symbolic() || made.symbolic()) return made;
  bool there = x.array().memory() == made.array().memory();
  return there ? made : made.to(x.device(), where);
}

}  // namespace sluice::nn
