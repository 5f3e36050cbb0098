// Beside: ops made on this thread while it is open run in the task of another
// value, if that value is in a named task; otherwise the enclosing scopes
// decide. For code that works on state elsewhere: gradients and rows travel,
// variables stay.
//
//   Beside there(variable.handle());
//
// A scope like those of eager/scope.h. No effect for imperative values.
#pragma once

#include "sluice/eager/scope.h"

namespace sluice {

class [[nodiscard]] Beside : front_internal::SavedBuilding {
 public:
  explicit Beside(const Tensor& value);
};

}  // namespace sluice
