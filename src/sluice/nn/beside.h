// What a layer makes itself, zeros of a state or ones for a scale, goes where
// the tensors are that it is used with.
#pragma once

#include <source_location>
#include <string>

#include "sluice/device/devices.h"
#include "sluice/eager/tensor.h"

namespace sluice::nn {

// `made` on the device that x is on, or will be in a function being recorded.
// Of other graphs' tensors it stays as it is: placement sees to them.
inline Tensor Beside(
    const Tensor& x, Tensor made,
    std::source_location where = std::source_location::current()) {
  auto of_graph = [](const Tensor& t) { return t.symbolic() && !t.traced(); };
  if (Devices::Count() == 1 || of_graph(x) || of_graph(made)) return made;
  std::string there = x.device();
  return made.device() == there ? made : made.to(there, where);
}

}  // namespace sluice::nn
