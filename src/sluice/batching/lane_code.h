// LaneCode: what one lane runs by itself. It is an op without a batching rule,
// and before it the ops whose results have sizes of each lane's own, which
// nobody else reads (lane_sizes.h). Lives on the stack while its last node is
// batched.
#pragma once

#include <unordered_map>
#include <vector>

#include "sluice/batching/batch_scope.h"

namespace sluice {

class LaneCode {
 public:
  using Values = Emitter::Values;

  // `nodes` in program order. The last one's results are those of the code.
  LaneCode(BatchScope& scope, std::vector<const Node*> nodes);

  BatchScope& scope() { return scope_; }
  const Node& last() const { return *nodes_.back(); }
  // Whether it is given lists of lanes, or gives some.
  bool lists() const;
  // Whether the code is one op that changes its first input, a list. That is
  // taken out of its box and put back: nobody else holds it meanwhile, so that
  // it is changed where it is.
  bool puts_back() const;
  // The lists of all lanes that it changes. REQUIRES: puts_back().
  Value changed() const { return given_.at(last().input(0)).box; }

  // What it is given with lanes, lane by lane: one row for every lane.
  // REQUIRES: !lists().
  std::vector<Values> Unstacked(int64_t lanes);
  // The results of one lane. `taken` is the first input where that is there
  // already; `unstacked` has a lane's part of what has lanes, in the order of
  // Unstacked(), or is empty: then it is taken from there.
  Values Run(Emitter& emit, Value lane, Value taken = {},
             const Values& unstacked = {}) const;

 private:
  struct Given {
    Lanes lanes;
    Value box;  // of lists with lanes: the list of all lanes' lists
  };

  Value PartOf(Emitter& emit, Value of_one, const Given& given,
               Value lane) const;

  BatchScope& scope_;
  std::vector<const Node*> nodes_;
  std::unordered_map<Value, Given, ValueHash> given_;
  std::vector<Value> order_;  // of given_
};

}  // namespace sluice
