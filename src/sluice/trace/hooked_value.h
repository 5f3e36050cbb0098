// Hooks that a captured function registers on values it computes, for gradients
// that flow after the call: the graph computes those, so such a hook is a rule
// of the graph (op/custom_gradient.h), and what it does becomes nodes.
//
// While the function is recorded, on its thread.
#pragma once

#include "sluice/eager/tape.h"
#include "sluice/trace/capture.h"

namespace sluice::front_internal {

// Gradients of `value`, all that reach it added up, meet the hook; the value
// that is read instead of it from now on. Throws.
Value HookValue(Capture& capture, const Value& value,
                const TapeNode::Hook& hook);

}  // namespace sluice::front_internal
