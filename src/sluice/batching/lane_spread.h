// LaneSpread: which values of code for one example will differ from lane to
// lane, found before any of it is batched. A loop must know it of what it
// carries before its body is written.
//
// It says what batching does: a value has lanes when something it is made of
// has, or when it is drawn at random; a shape never has. Lives on the stack.
#pragma once

#include <functional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "sluice/batching/batch_scope.h"
#include "sluice/batching/nested.h"

namespace sluice {

class LaneSpread {
 public:
  LaneSpread(const BatchScope& scope, const NestedCalls& nested)
      : scope_(scope), nested_(nested) {}

  // The results of a region whose arguments are these.
  std::vector<bool> Results(const Region& region,
                            const std::vector<bool>& args);

  struct Loop {
    std::vector<bool> carried;
    bool stops_apart = false;  // lanes end in different iterations
  };
  // Of a While node, from its inputs.
  Loop OfLoop(const Node& loop);
  // Whether a nested vmap has lanes of the scope in it.
  bool OfNested(const Node& call);

 private:
  bool Has(const Value& value) const;
  void Visit(const Node& node);

  const BatchScope& scope_;
  const NestedCalls& nested_;
  std::unordered_map<Value, bool, ValueHash> known_;
};

// Visits every node that may run when the region does, those of functions it
// calls too; `seen` are functions not to go into.
void ForEachInside(const Region& region, std::unordered_set<const Node*>& seen,
                   const std::function<void(const Node&)>& visit);

// Whether running the function may call it again.
bool CallsItself(const Node& function);

// The values that nodes inside these regions of `owner`, and the functions they
// call, read from outside of them. In the order they are met.
std::vector<Value> CapturedBy(const Node& owner);

}  // namespace sluice
