// Hooks that a captured function registers on values it computes, for gradients
// taken after the call. The graph computes those gradients, so such a hook
// becomes a gradient rule of the graph (op/custom_gradient.h), and its code
// becomes nodes.
//
// Used while the function is recorded, on its thread.
#pragma once

#include "sluice/eager/tape.h"
#include "sluice/trace/capture.h"

namespace sluice::front_internal {

// Registers the hook for the total gradient of `value`. Returns the value that
// must be read instead of `value` from now on. Throws.
Value HookValue(Capture& capture, const Value& value,
                const TapeNode::Hook& hook);

}  // namespace sluice::front_internal
