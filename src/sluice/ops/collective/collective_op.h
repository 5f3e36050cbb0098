// What the ops of collectives share: the group an op names, and a launch that
// ends when the group's work does.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "sluice/base/strings.h"
#include "sluice/collective/groups.h"
#include "sluice/op/grad_context.h"
#include "sluice/op/record.h"

namespace sluice {

using CollectiveCall =
    std::function<collective::Work(collective::ProcessGroup&)>;

// Begins what `call` does in the op's group; no thread waits for it. A step
// that is given up takes the group with it, on every rank: the others would
// wait for a collective that never comes.
void LaunchCollective(AsyncContext& ctx, const CollectiveCall& call);

// Input 0 as it can be sent. These answer the context themselves when there is
// no memory, and return nothing then.
Array ContiguousInput(AsyncContext& ctx);
// A copy of input 0 for output 0, to be reduced where it lies.
Array CopyOfInput(AsyncContext& ctx);

// x of the rank's own becomes one part for each of `ranks`, or the other way
// round: axis 0 of output 0 is that of input 0 times or divided by `ranks`.
Status TimesRanks(ShapeContext& c);
Status DividedByRanks(ShapeContext& c);

// Output 0, in the shape those say. Answers the context itself, and returns
// nothing, where the shapes or the group do not fit or there is no memory.
Array MakeGathered(AsyncContext& ctx);
Array MakeScattered(AsyncContext& ctx);
Array MakeMoved(AsyncContext& ctx);  // as the input

// The reductions that have a gradient: linear ones.
bool LinearReduction(GradContext& g);

}  // namespace sluice
