// LoopExtension: a loop that comes to carry more: a count of its iterations,
// and lists of values of its body, one element per iteration. What it computes
// stays what it was; nobody who uses its results sees a difference. What is
// there already is used again.
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

  // The output that is the number of iterations, an i64.
  Result<int> CountTrips();
  // The output that is the list of what `v`, a value of the body, has been.
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
