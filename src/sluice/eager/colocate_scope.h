// ColocateScope: ops made on this thread while it is open run on the same
// device as another op, wherever that will be.
//
//   ColocateScope with(weights);    // a tensor or an operation of the graph
//
// Instead of the device of the scopes around. Imperatively, tensors that are
// made of no other go where that one is.
#pragma once

#include "sluice/eager/scope.h"

namespace sluice {

class [[nodiscard]] ColocateScope : front_internal::SavedBuilding {
 public:
  // Both throw when what is given holds nothing.
  explicit ColocateScope(const Tensor& with);
  explicit ColocateScope(const Operation& with);
  ~ColocateScope();

 private:
  void Open(const Node& with);
  Device* outer_;  // of imperative calls
};

}  // namespace sluice
