// Computes the value that a traced tensor would have if its ops had run at
// once: initial values of variables are taken out of a recording this way.
#pragma once

#include "sluice/eager/tensor.h"

namespace sluice::front_internal {

// Calls the ops behind `tensor` imperatively, in the order they were written.
// An imperative tensor is returned as it is. Throws when the value depends on
// an argument of the function; `what` names the value in that message.
Tensor ComputeNow(const Tensor& tensor, std::string_view what);

}  // namespace sluice::front_internal
