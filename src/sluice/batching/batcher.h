// Batcher: one run of BatchRegion (batching/batch.h). Walks code in program
// order; each kind of control flow has its own file.
#pragma once

#include <unordered_map>
#include <vector>

#include "sluice/batching/batch.h"
#include "sluice/batching/lane_sizes.h"
#include "sluice/batching/node_batch_context.h"

namespace sluice {

class Batcher {
 public:
  Batcher(Graph& graph, BatchReport& report)
      : state_{.graph = graph}, report_(report) {}

  EmitState& state() { return state_; }
  // REQUIRES: its arguments are in the scope.
  std::vector<Lanes> RunRegion(BatchScope& scope, const Region& code);

 private:
  using Values = Emitter::Values;

  void RunNode(BatchScope& scope, const Node& node);
  void RunOp(BatchScope& scope, const Node& node);
  void RunBranch(BatchScope& scope, const Node& node);  // batch_branch.cc
  void RunLaneBranches(BatchScope& scope, const Node& node, Value chooser);
  void RunLoop(BatchScope& scope, const Node& node);  // batch_loop.cc
  void RunLiveLoop(BatchScope& scope, const Node& node,
                   const std::vector<LaneForm>& carried);
  void RunCall(BatchScope& scope, const Node& node);  // batch_call.cc
  Node* Specialise(BatchScope& scope, const Node& function,
                   const std::vector<Value>& captured);
  void RunNested(BatchScope& scope, const Node& node);  // batch_nested.cc
  void RunLanes(BatchScope& scope, const Node& node);   // lane_loop.cc

  // Sets results of `node`, all of which have lanes, and their shapes; lists
  // are boxed.
  void SetLanes(BatchScope& scope, const Node& node, const Values& values);
  Status Refused(const Node& node, std::string_view message) const;

  EmitState state_;
  BatchReport& report_;
  // The batched nodes of each node that others may wait for.
  std::unordered_map<const Node*, std::vector<Node*>> done_;
  std::unordered_map<const Node*, Node*> functions_;  // being specialised
  LaneSizes* sizes_ = nullptr;                        // of the innermost region
};

}  // namespace sluice
