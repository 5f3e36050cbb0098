// Hooks and backward functions of the user's that run while the gradient of a
// captured function is built. What they read is compared at every use of that
// gradient; what they write is refused.
//
// Made and destroyed on the thread that builds it.
#pragma once

#include <memory>

#include "common.h"
#include "sluice/front/function.h"

namespace sluice::py {

// REQUIRES: the GIL. `recorder` is told of what they do until Done().
std::unique_ptr<front_internal::RulesWatch> WatchRules(nb::object recorder);

}  // namespace sluice::py
