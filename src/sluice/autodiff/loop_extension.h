// LoopExtension: extends the values that a loop carries by a count of its
// iterations, and by lists of values of its body with one element per
// iteration. Existing results do not change. Existing counts and lists are
// reused.
//
// The caller holds the graph's lock.
#pragma once

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

class LoopExtension {
 public:
  LoopExtension(Graph& graph, Node& loop)
      : graph_(graph), loop_(loop), body_(*loop.regions()[1]) {}

  // The index of the output with the number of iterations, an i64.
  Result<int> CountTrips();
  // The index of the output that lists `v`, a value of the body, by iteration.
  Result<int> Keep(const Value& v);

 private:
  Result<int> Carry(Value start, const char* name);
  void SetNext(int carried, Value next);
  bool IsConstant(const Value& v, int64_t n) const;
  Result<Node*> AddBefore(std::string_view op, std::span<const Value> inputs,
                          const Attrs& attrs);

  Graph& graph_;
  Node& loop_;
  Region& body_;
};

}  // namespace sluice
