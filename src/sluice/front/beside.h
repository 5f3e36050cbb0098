// Beside: ops made while it is open, on this thread, are in the task of
// another value, where that is in one that is named; the scopes around say
// where they are otherwise. For code that follows state around: gradients and
// rows travel, variables stay.
//
//   Beside there(variable.handle());
//
// A scope like those of eager/scope.h. Nothing for values that are imperative.
#pragma once

#include "sluice/eager/scope.h"

namespace sluice {

class [[nodiscard]] Beside : front_internal::SavedBuilding {
 public:
  explicit Beside(const Tensor& value);
};

}  // namespace sluice
