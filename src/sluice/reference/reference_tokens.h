// The primitives of control flow (Switch, Merge, Enter, Exit, NextIteration,
// LoopCond, ControlTrigger) under the reference interpreter: a region that
// holds some of them is run by tokens, literally by their rules.
//
// A token is a value or death, and belongs to one iteration of one frame. A
// node fires once in an iteration, when all its operands have a token there.
// One firing at a time; an iteration starts when the one before has ended, so
// the bound on parallel iterations is always 1. Values of arguments, and those
// captured from around the region, are in its outermost frame.
//
// Nodes that touch one resource fire in program order as far as the tokens
// allow: one that is ready waits until nothing else is, or until those above
// it have fired in the same iteration.
#pragma once

#include <functional>
#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"
#include "sluice/op/step_context.h"
#include "sluice/reference/reference_scope.h"

namespace sluice {

// Runs one node that is no primitive.
using FireNode = std::function<Result<std::vector<Array>>(
    const Node&, std::vector<Array>& inputs, const ReferenceScope&)>;

// The region's results. `scope` holds the arguments. Errors: a result that is
// dead (DeadFetch), a step that cannot go on (CannotGoOn), a node's own with
// the iterations it happened in. `observer` may be null; `fire` itself tells
// it what comes before a node.
Result<std::vector<Array>> InterpretTokens(const Region& region,
                                           const ReferenceScope& scope,
                                           const StepContext& step,
                                           const FireNode& fire,
                                           InterpretObserver* observer);

}  // namespace sluice
