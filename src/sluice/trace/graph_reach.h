// GraphReach: which values of a graph depend on which others in a way that
// gradients flow, and in which runs. It computes from the nodes what the tape
// would know if the same code ran op by op, because gradients built in a graph
// have no tape.
//
// Where branches and loops decide, conditionals get extra boolean results and
// loops carry extra boolean variables. The caller holds the graph's lock while
// this lives.
#pragma once

#include <map>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

class GraphReach {
 public:
  // In all runs, or in runs in which one of these values holds.
  struct Truth {
    bool always = false;
    std::vector<Value> any{};
    bool never() const { return !always && any.empty(); }
    bool operator==(const Truth&) const = default;
  };
  // By index of the source; independent sources are missing.
  using Sources = std::map<int, Truth>;
  // A pseudo source: the value depends on the incoming gradients, so it exists
  // at all. Zeros that represent a missing gradient do not.
  static constexpr int kFlow = -1;

  // The search stops at the sources. `tells`: nodes are added for conditions
  // known only at run time; otherwise those are assumed to hold and the graph
  // is unchanged.
  GraphReach(Graph& graph, std::span<const Value> sources, bool tells);
  // Adds an incoming gradient, which exists in these runs. Its factors are read
  // in no other runs.
  void AddFlow(const Value& flow, const Truth& when);

  Result<Sources> Of(const Value& value);
  // Whether one of the values holds, as a value at the region's end.
  Result<Value> AnyOf(const std::vector<Value>& any, Region& region);

 private:
  Status Ensure(const Value& value);
  Status Eval(Node& node);
  Status EvalBranch(Node& node);
  // [j][i]: in which runs variable j after an iteration depends on variable i
  // before it.
  using LoopSteps = std::vector<std::vector<Truth>>;
  // Sources that all variables of a loop depend on in the same runs.
  struct LoopGroup {
    std::vector<Truth> begins, direct, ends;
  };
  Status EvalLoop(Node& node);
  Status EndOf(Node& loop, const LoopSteps& by, LoopGroup& group);
  Result<Value> Next(Node& loop, const LoopSteps& by, const LoopGroup& group,
                     const std::vector<int>& told, size_t j);
  // Moves the nodes of its region from index `before` on in front of `node`.
  void PutAbove(Node& node, size_t before);
  // Like AsValue, but the value is computed before a node.
  Result<Value> Above(Node& node, const Truth& truth);
  static void Or(Truth& into, const Truth& more);
  static void Or(Sources& into, const Sources& more);
  static Truth Find(const Sources& sources, int id);
  // By result of the region: the sources that its gradients flow to.
  Result<std::vector<Sources>> Results(const Region& region);
  // The sources of all values read.
  Sources Read(const std::vector<Value>& values) const;
  // The same for an op of a gradient in `region`: in runs in which no gradient
  // flows into it, its other inputs are not read.
  Result<Sources> ReadIfFlowing(const std::vector<Value>& values,
                                Region& region);
  Result<Truth> And(const Truth& a, const Truth& b, Region& region);
  Result<Value> Known(bool truth, Region& region);
  Result<Value> AsValue(const Truth& truth, Region& region);
  Result<Value> Call(std::string_view op, const Value& a, const Value& b,
                     Region& region);

  Graph& graph_;
  bool tells_;
  int next_id_;  // arguments of loops are sources of their bodies too
  bool flows_ = false;
  size_t carried_ = 0;
  std::unordered_map<Value, Sources, ValueHash> known_;
  std::unordered_set<const Node*> entered_, done_;
};

}  // namespace sluice
