// The primitives of control flow (Switch, Merge, Enter, Exit, NextIteration,
// LoopCond, ControlTrigger) in the reference interpreter: a region that
// contains any of them is run by tokens, literally by their rules.
//
// A token is a value or death, and belongs to one iteration of one frame. A
// node fires once per iteration, when all its operands have a token there.
// Nodes fire one at a time; an iteration starts when the previous one has
// ended, so the bound on parallel iterations is always 1. Arguments and
// captures of the region are in its outermost frame.
//
// Nodes that access one resource fire in program order as far as the tokens
// allow: a ready node waits until nothing else is ready, or until those above
// it have fired in the same iteration.
#pragma once

#include <functional>
#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"
#include "sluice/op/step_context.h"
#include "sluice/reference/reference_scope.h"

namespace sluice {

// Runs one node that is not a primitive.
using FireNode = std::function<Result<std::vector<Array>>(
    const Node&, std::vector<Array>& inputs, const ReferenceScope&)>;

// Returns the region's results. `scope` contains the arguments. Errors: a dead
// result (DeadFetch), a step that cannot continue (CannotGoOn), a node's own
// error with its iterations. `observer` may be null; `fire` itself calls its
// Before.
Result<std::vector<Array>> InterpretTokens(const Region& region,
                                           const ReferenceScope& scope,
                                           const StepContext& step,
                                           const FireNode& fire,
                                           InterpretObserver* observer);

}  // namespace sluice
