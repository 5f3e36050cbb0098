// User hooks and backward functions that run while the gradient of a captured
// function is built. Values they read are compared at every use of that
// gradient; writes are refused.
//
// Created and destroyed on the thread that builds it.
//
// Made and destroyed on the thread that builds it.
#pragma once

#include <memory>

#include "common.h"
#include "sluice/front/function.h"

namespace sluice::py {

// REQUIRES: the GIL. Their reads and writes are reported to `recorder` until
// Done().
std::unique_ptr<front_internal::RulesWatch> WatchRules(nb::object recorder);

}  // namespace sluice::py
