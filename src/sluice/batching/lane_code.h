// LaneCode: the code that one lane runs by itself: an op without a batching
// rule, preceded by the ops whose results have lane-dependent sizes and that
// nothing else reads (lane_sizes.h). Lives on the stack while its last node is
// batched.
#pragma once

#include <unordered_map>
#include <vector>

#include "sluice/batching/batch_scope.h"

namespace sluice {

class LaneCode {
 public:
  using Values = Emitter::Values;

  // `nodes` in program order. The results are those of the last one.
  LaneCode(BatchScope& scope, std::vector<const Node*> nodes);

  BatchScope& scope() { return scope_; }
  const Node& last() const { return *nodes_.back(); }
  // Whether it takes or returns lists of lanes.
  bool lists() const;
  // Whether the code is one op that changes its first input, a list. The list
  // is then taken out of its box and put back, so that it has no other
  // reference and is changed in place.
  bool puts_back() const;
  // The lists of all lanes that it changes. REQUIRES: puts_back().
  Value changed() const { return given_.at(last().input(0)).box; }

  // The inputs with lanes, lane by lane: one row for every lane. REQUIRES:
  // !lists().
  std::vector<Values> Unstacked(int64_t lanes);
  // The results of one lane. `taken` is the first input if it has been taken
  // out already; `unstacked` has the lane's slices of inputs with lanes, in the
  // order of Unstacked(), or is empty: then they are picked here.
  Values Run(Emitter& emit, Value lane, Value taken = {},
             const Values& unstacked = {}) const;

 private:
  struct Given {
    Lanes lanes;
    Value box;  // for lists with lanes: the list of the lanes' lists
  };

  Value PartOf(Emitter& emit, Value of_one, const Given& given,
               Value lane) const;

  BatchScope& scope_;
  std::vector<const Node*> nodes_;
  std::unordered_map<Value, Given, ValueHash> given_;
  std::vector<Value> order_;  // of given_
};

}  // namespace sluice
