// Flow rules: behaviour of conditionals, loops and calls that is common to all
// executors: how a predicate is read, which branch an index chooses, how deep
// calls may nest, and the wording of errors. Plain functions, thread safe.
#pragma once

#include <string_view>

#include "sluice/graph/node.h"
#include "sluice/op/branch_index.h"

namespace sluice {

// Calls nested deeper than this are considered infinite recursion.
inline constexpr int kMaxCallDepth = 4000;
// The limit if a call uses the stack of its thread: in imperative mode and in
// the reference interpreter.
inline constexpr int kMaxCallsOnStack = 1000;

// The region of a branching node that runs. Errors: those of BranchIndex,
// naming the node's op.
Result<size_t> ChosenRegion(const Node& branch, const Array& chooser);

// The error with the line "in iteration 7 of the loop at train.cc:88 (...)".
Status InIteration(const Status& status, const Node& loop, int64_t iteration);
// The error with the line "in the call at tree.cc:12 (...)"; only the innermost
// few calls are listed.
Status InCall(const Status& status, const Node& call);

// The error for more than `most` nested calls; `what` is the op or function
// called.
Status CallsTooDeep(std::string_view what, int most);
inline Status CallsTooDeep(const Node& call, int most = kMaxCallDepth) {
  return CallsTooDeep(call.op().name, most);
}

}  // namespace sluice
