// Properties of a tensor that only a run knows, after a branch or a loop
// decided by tensors: whether it requires gradients, when the branches differ
// in that, and which tensor of the program outside it is, when it is one on
// some branch. Both are values of the graph then, extra results of the branch
// or loop, and every call that hands out the tensor looks at them.
//
// Plain values, of one recording.
#pragma once

#include <vector>

#include "sluice/eager/eager_value.h"

namespace sluice {

// Whether gradients flow through a value: always, never (neither is set), or
// when one of these holds.
struct FlowWhen {
  bool always = false;
  std::vector<Value> any{};
  bool open() const { return !always && !any.empty(); }
};

// Where a gradient flows to: an output of a call, or a leaf.
struct TapeKey {
  const TapeNode* node = nullptr;
  int output = 0;
  const EagerValue* leaf = nullptr;
  explicit operator bool() const { return node || leaf; }
  bool operator==(const TapeKey&) const = default;
};

// What the gradient of a value reaches, and in which runs; none: in all.
struct Reached {
  TapeKey key;
  Value when{};
};
using Reach = std::vector<Reached>;

// Of a conditional or a loop: what the gradient of one of its results reaches,
// and which other result says in which runs; negative: in all.
struct ReachTold {
  TapeKey key;
  int told = -1;
};
using ReachesTold = std::vector<ReachTold>;

// Which entry of the recording (trace/capture.h) a value is: that one, kNone,
// or what `told` says.
struct WhichEntry {
  static constexpr int64_t kNone = -1;
  int64_t entry = kNone;
  Value told{};
  bool none() const { return entry == kNone && !told; }
  bool operator==(const WhichEntry&) const = default;
};

// Of what a run tells: whether a branch has a say in it, and not loops alone. A
// loop is taken to go round, so that a training step with one is one graph.
bool SaidByBranch(const Value& said);

}  // namespace sluice
