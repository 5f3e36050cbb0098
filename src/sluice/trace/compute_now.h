// Computes the value that a traced tensor would have if its ops had run
// eagerly. Initial values of variables are computed this way during a
// recording.
#pragma once

#include "sluice/eager/tensor.h"

namespace sluice::front_internal {

// Runs the ops that `tensor` depends on imperatively, in program order. Returns
// an imperative tensor unchanged. Throws when the value depends on an argument
// of the function; `what` names the value in that message.
Tensor ComputeNow(const Tensor& tensor, std::string_view what);

}  // namespace sluice::front_internal
