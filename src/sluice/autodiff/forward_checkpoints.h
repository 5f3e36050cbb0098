// ForwardCheckpoints: makes a loop keep what it carries at some iterations, in
// lists. How many is decided as it runs (CheckpointChoice). What is there
// already is used again.
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

  // To be called first.
  Status Prepare();
  // The output that is the list of what carried value i was at checkpoints.
  Result<int> Keep(int i);
  // A vector: iterations between checkpoints, bytes they hold, those of the
  // largest (the last two with a budget only).
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
