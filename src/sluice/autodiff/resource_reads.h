// ResourceReads: the values read from a resource, such as a variable, for
// gradients with respect to it. A read inside a conditional, loop or function
// that does not change the resource would return the same value before it, so
// it is moved there, where gradients can reach it.
//
// Lives for one call of Gradients, whose caller holds the graph's lock.
#pragma once

#include <span>
#include <unordered_set>
#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

class ResourceReads {
 public:
  // Gradients of the ys, computed in `region`.
  ResourceReads(Graph& graph, Region& region, std::span<const Value> ys)
      : graph_(graph), region_(region), ys_(ys) {}

  // All reads of `handle` visible in `region`. Error: the ys depend on a read
  // that cannot be moved, because the construct around it changes the resource.
  Result<std::vector<Value>> Of(const Value& handle);

 private:
  Node* Around(Node* read) const;
  const Node* WhoChanges(Node& around, const Node& read);
  bool DependOn(const Node& node);

  Graph& graph_;
  Region& region_;
  std::span<const Value> ys_;
  // The nodes that the ys depend on; computed on demand.
  std::unordered_set<const Node*> upstream_;
};

}  // namespace sluice
