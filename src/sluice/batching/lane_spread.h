// LaneSpread: which values of code for one example will differ from lane to
// lane, found before any of it is batched. A loop must know it of what it
// carries before its body is written.
//
// It says what batching does: a value has lanes when something it is made of
// has, or when it is drawn at random, unless the op's rule says otherwise
// (rule_forecast.h): a shape never has. And it says so of the form lists have
// (batch_scope.h). Lives on the stack.
#pragma once

#include <functional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "sluice/batching/batch_scope.h"

namespace sluice {

class LaneSpread {
 public:
  explicit LaneSpread(const BatchScope& scope) : scope_(scope) {}

  using Forms = std::vector<LaneForm>;
  // The results of a region whose arguments are these.
  Forms Results(const Region& region, const Forms& args);

  struct Loop {
    Forms carried;
    bool stops_apart = false;  // lanes end in different iterations
  };
  // Of a While node, from its inputs.
  Loop OfLoop(const Node& loop);
  // Whether a nested vmap has lanes of the scope in it.
  bool OfNested(const Node& call);

 private:
  LaneForm Form(const Value& value) const;
  bool Has(const Value& value) const {
    return Form(value) != LaneForm::kSingle;
  }
  bool CanHave(Value list) const;
  void Visit(const Node& node);
  void VisitBranch(const Node& node, Forms& outputs);
  // Code that some lanes alone run sees lists of lanes around it boxed.
  Forms ResultsOfSome(const Region& region, const Forms& args);

  const BatchScope& scope_;
  struct Known {
    LaneForm form;
    int depth;
  };
  std::unordered_map<Value, Known, ValueHash> known_;
  int depth_ = 0;  // of code that some lanes alone run
  // What arguments of regions begin as.
  std::unordered_map<Value, Value, ValueHash> given_;
};

// Visits every node that may run when the region does, those of functions it
// calls too; `seen` are functions not to go into.
void ForEachInside(const Region& region, std::unordered_set<const Node*>& seen,
                   const std::function<void(const Node&)>& visit);

// Nested vmaps: a call, in code that is to be batched, of code that is to be
// batched itself. Where that code chooses or loops, its lanes cannot be cut
// into groups before the lanes around it are known: each of those would have
// groups of its own sizes. It is left as a call that says which arguments have
// lanes, and batched together with what is around it, on lanes of lanes. Empty:
// the call is none of them.
const std::vector<int64_t>& NestedLanes(const Node& call);

// Whether running the function may call it again.
bool CallsItself(const Node& function);

// The values that nodes inside these regions of `owner`, and the functions they
// call, read from outside of them. In the order they are met.
std::vector<Value> CapturedBy(const Node& owner);

}  // namespace sluice
