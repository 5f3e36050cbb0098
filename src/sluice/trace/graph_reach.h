// GraphReach: which values of a graph depend on which others, in a way that
// gradients flow, and in which runs: what the tape of the same code would know
// if it ran op by op. Nobody has recorded this for gradients built in a graph,
// so it is found from their nodes.
//
// Where branches and loops decide, conditionals get results and loops carry
// variables of truth beside their own. The caller holds the graph's lock while
// it lives.
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
  // Always, or in runs in which one of these holds.
  struct Truth {
    bool always = false;
    std::vector<Value> any{};
    bool never() const { return !always && any.empty(); }
    bool operator==(const Truth&) const = default;
  };
  // By number of the source; those it does not depend on are missing.
  using Sources = std::map<int, Truth>;
  // Among those: that it is made of what flowed into gradients, and so is there
  // at all. Zeros that stand for no gradient are not.
  static constexpr int kFlow = -1;

  // Nothing is looked for beyond the sources. `tells`: else what only a run
  // knows is taken to hold, and the graph stays as it is.
  GraphReach(Graph& graph, std::span<const Value> sources, bool tells);
  // This flows into the gradients that are asked about, in these runs. What it
  // is multiplied with is read in no others.
  void AddFlow(const Value& flow, const Truth& when);

  Result<Sources> Of(const Value& value);
  // Whether one of them holds, as a value at the region's end.
  Result<Value> AnyOf(const std::vector<Value>& any, Region& region);

 private:
  Status Ensure(const Value& value);
  Status Eval(Node& node);
  Status EvalBranch(Node& node);
  // How an iteration makes variable j of variable i: [j][i].
  using LoopSteps = std::vector<std::vector<Truth>>;
  // Sources that all variables of a loop treat alike.
  struct LoopGroup {
    std::vector<Truth> begins, direct, ends;
  };
  Status EvalLoop(Node& node);
  Status EndOf(Node& loop, const LoopSteps& by, LoopGroup& group);
  Result<Value> Next(Node& loop, const LoopSteps& by, const LoopGroup& group,
                     const std::vector<int>& told, size_t j);
  // The nodes of its region beyond so many go in front of it.
  void PutAbove(Node& node, size_t before);
  // As AsValue, above a node.
  Result<Value> Above(Node& node, const Truth& truth);
  static void Or(Truth& into, const Truth& more);
  static void Or(Sources& into, const Sources& more);
  static Truth Find(const Sources& sources, int id);
  // The results of a region that gradients flow through, by number.
  Result<std::vector<Sources>> Results(const Region& region);
  // All that is read, whatever becomes of it.
  Sources Read(const std::vector<Value>& values) const;
  // The same for a gradient's op in `region`: where nothing flows into it,
  // nothing else is read.
  Result<Sources> ReadIfFlowing(const std::vector<Value>& values,
                                Region& region);
  Result<Truth> And(const Truth& a, const Truth& b, Region& region);
  Result<Value> Known(bool truth, Region& region);
  Result<Value> AsValue(const Truth& truth, Region& region);
  Result<Value> Call(std::string_view op, const Value& a, const Value& b,
                     Region& region);

  Graph& graph_;
  bool tells_;
  int next_id_;  // arguments of loops are sources, too, of their bodies
  bool flows_ = false;
  size_t carried_ = 0;
  std::unordered_map<Value, Sources, ValueHash> known_;
  std::unordered_set<const Node*> entered_, done_;
};

}  // namespace sluice
