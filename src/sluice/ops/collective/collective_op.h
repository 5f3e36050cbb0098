// Shared by collective ops: the group that an op names, and a launch that ends
// with the group's work.
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

// Starts `call` in the op's group; no thread waits for it. A cancelled step
// aborts the group on every rank: the others would otherwise wait for a
// collective that never comes.
void LaunchCollective(AsyncContext& ctx, const CollectiveCall& call);

// Input 0 in a form that can be sent. If there is no memory, these functions
// answer the context themselves and return nothing.
Array ContiguousInput(AsyncContext& ctx);
// A copy of input 0 as output 0, to be reduced in place.
Array CopyOfInput(AsyncContext& ctx);

// The rank's x becomes one part for each of `ranks`, or the reverse: axis 0 of
// output 0 is that of input 0 multiplied or divided by `ranks`.
Status TimesRanks(ShapeContext& c);
Status DividedByRanks(ShapeContext& c);

// Output 0 with those shapes. Answers the context itself, and returns nothing,
// if the shapes or the group do not fit or there is no memory.
Array MakeGathered(AsyncContext& ctx);
Array MakeScattered(AsyncContext& ctx);
Array MakeMoved(AsyncContext& ctx);  // as the input

// The reductions that have a gradient: linear ones.
bool LinearReduction(GradContext& g);

}  // namespace sluice
