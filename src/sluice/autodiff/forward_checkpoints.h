// ForwardCheckpoints: makes a loop store the values it carries at some
// iterations, in lists. Their number is decided at run time (CheckpointChoice).
// Existing lists are reused.
//
// Lives for one call of Gradients, whose caller holds the graph's lock.
#pragma once

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

class ForwardCheckpoints {
 public:
  // `trips`: the carried value that counts iterations.
  ForwardCheckpoints(Graph& graph, Node& loop, int trips)
      : graph_(graph), loop_(loop), body_(*loop.regions()[1]), trips_(trips) {}

  // Call first.
  Status Prepare();
  // The index of the output that lists carried value i at the checkpoints.
  Result<int> Keep(int i);
  // A vector: iterations between checkpoints, the bytes they hold, and the
  // bytes of the largest (the last two only with a budget).
  Value state() const { return loop_.output(state_); }

 private:
  Result<Value> NumberBefore(int64_t n);
  Result<Node*> AddBefore(std::string_view op, std::span<const Value> inputs,
                          const Attrs& attrs);
  Result<Node*> AddFirst(std::string_view op, std::span<const Value> inputs,
                         const Attrs& attrs = {});

  Graph& graph_;
  Node& loop_;
  Region& body_;
  const int trips_;
  int state_ = -1;
  Node* choice_ = nullptr;
};

}  // namespace sluice
