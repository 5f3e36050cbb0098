// Flow rules: what every executor must agree on about conditionals, loops and
// calls: how a predicate is read, which branch an index chooses, how deep calls
// may go, and the words of the errors. Plain functions, thread safe.
#pragma once

#include <string_view>

#include "sluice/graph/node.h"
#include "sluice/op/branch_index.h"

namespace sluice {

// Calls nested deeper than this are taken for recursion without end.
inline constexpr int kMaxCallDepth = 4000;
// The same where a call takes the stack of the thread it runs on: when code
// runs at once, and in the reference interpreter.
inline constexpr int kMaxCallsOnStack = 1000;

// Which of a branching node's regions runs. Errors: those of BranchIndex, in
// the name of the node's op.
Result<size_t> ChosenRegion(const Node& branch, const Array& chooser);

// The error with the line "in iteration 7 of the loop at train.cc:88 (...)".
Status InIteration(const Status& status, const Node& loop, int64_t iteration);
// The error with the line "in the call at tree.cc:12 (...)"; the innermost
// few calls are enough.
Status InCall(const Status& status, const Node& call);

// More than `most` calls inside one another; `what` is the op or function
// called.
Status CallsTooDeep(std::string_view what, int most);
inline Status CallsTooDeep(const Node& call, int most = kMaxCallDepth) {
  return CallsTooDeep(call.op().name, most);
}

}  // namespace sluice
