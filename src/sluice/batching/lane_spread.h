// LaneSpread: predicts which values of code for one example differ from lane to
// lane, before any of it is batched. A loop must know this for its carried
// values before its body is built.
//
// It predicts the outcome of batching: a value has lanes if something it
// depends on has, or if it is random, unless the op's rule says otherwise
// (rule_forecast.h): a shape never has lanes. It also predicts the form of
// lists (batch_scope.h). Lives on the stack.
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
  // The forms of a region's results, given those of its arguments.
  Forms Results(const Region& region, const Forms& args);

  struct Loop {
    Forms carried;
    bool stops_apart = false;  // lanes may end in different iterations
  };
  // For a While node, from its inputs.
  Loop OfLoop(const Node& loop);
  // Whether a nested vmap contains lanes of the scope.
  bool OfNested(const Node& call);

 private:
  LaneForm Form(const Value& value) const;
  bool Has(const Value& value) const {
    return Form(value) != LaneForm::kSingle;
  }
  bool CanHave(Value list) const;
  void Visit(const Node& node);
  void VisitBranch(const Node& node, Forms& outputs);
  // In code that only some lanes run, outer lists with lanes are boxed.
  Forms ResultsOfSome(const Region& region, const Forms& args);

  const BatchScope& scope_;
  struct Known {
    LaneForm form;
    int depth;
  };
  std::unordered_map<Value, Known, ValueHash> known_;
  int depth_ = 0;  // nesting of code that only some lanes run
  // The initial values of regions' arguments.
  std::unordered_map<Value, Value, ValueHash> given_;
};

// Visits every node that may run when the region does, including those of
// called functions; `seen`: functions to skip.
void ForEachInside(const Region& region, std::unordered_set<const Node*>& seen,
                   const std::function<void(const Node&)>& visit);

// Nested vmaps: a call, in code to be batched, of code that is itself to be
// batched. If the inner code branches or loops, its lanes cannot be grouped
// before the outer lanes are known, because the group sizes would depend on the
// outer lane. It is kept as a call that tells which arguments have lanes, and
// batched together with the outer code, on lanes of lanes. Empty: the call is
// not a nested vmap.
const std::vector<int64_t>& NestedLanes(const Node& call);

// Whether running the function may call it recursively.
bool CallsItself(const Node& function);

// The outer values that nodes inside these regions of `owner`, and the
// functions they call, read. In order of first use.
std::vector<Value> CapturedBy(const Node& owner);

}  // namespace sluice
