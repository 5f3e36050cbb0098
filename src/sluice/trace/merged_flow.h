// Properties of a tensor that are known only at run time, after a branch or
// loop decided by tensors: whether it requires gradients, if the branches
// differ in that, and which tensor outside it is, if some branch returns one.
// Both become values of the graph, as extra results of the branch or loop, and
// every call that returns the tensor reads them.
//
// Plain values, of one recording.
#pragma once

#include <vector>

#include "sluice/eager/eager_value.h"

namespace sluice {

// Whether gradients flow through a value: always, never (neither field is set),
// or in runs in which one of these values holds.
struct FlowWhen {
  bool always = false;
  std::vector<Value> any{};
  bool open() const { return !always && !any.empty(); }
};

// A destination of gradients: an output of a call, or a leaf.
struct TapeKey {
  const TapeNode* node = nullptr;
  int output = 0;
  const EagerValue* leaf = nullptr;
  explicit operator bool() const { return node || leaf; }
  bool operator==(const TapeKey&) const = default;
};

// A destination that the gradient of a value reaches, and in which runs; none:
// in all.
struct Reached {
  TapeKey key;
  Value when{};
};
using Reach = std::vector<Reached>;

// For a result of a conditional or a loop: a destination of its gradient, and
// the other result that tells in which runs; negative: in all.
struct ReachTold {
  TapeKey key;
  int told = -1;
};
using ReachesTold = std::vector<ReachTold>;

// Which entry of the recording (trace/capture.h) a value is: `entry`, kNone,
// or, if `told` is set, the one with that index.
struct WhichEntry {
  static constexpr int64_t kNone = -1;
  int64_t entry = kNone;
  Value told{};
  bool none() const { return entry == kNone && !told; }
  bool operator==(const WhichEntry&) const = default;
};

// Whether a branch, and not only loops, decides this run-time value. A loop is
// assumed to run at least one iteration, so that a training step with a loop is
// one graph.
bool SaidByBranch(const Value& said);

}  // namespace sluice
