// LoopResiduals: the values that the backward loop reads of the forward loop's
// iterations, and their sources. Most are kept in lists by the forward loop. A
// counter is computed from the number of the iteration. The result of one
// iteration is the start of the next, and is kept once.
//
// Lives for one call of Gradients, whose caller holds the graph's lock.
#pragma once

#include <unordered_map>
#include <vector>

#include "sluice/autodiff/inner_gradient.h"
#include "sluice/autodiff/loop_extension.h"

namespace sluice {

class LoopResiduals {
 public:
  // Values needed after the loop are computed in `after`.
  LoopResiduals(Graph& graph, Node& loop, Region& after)
      : graph_(graph),
        loop_(loop),
        body_(*loop.regions()[1]),
        after_(after),
        extension_(graph, loop) {}

  // Makes the forward loop keep what the gradient of its body reads, and always
  // `lists`, values of the body.
  Status Keep(InnerGradient& inner, const std::vector<Value>& lists);
  // The number of iterations.
  Value trips() { return loop_.output(trips_); }
  // The list of the value, by iteration. REQUIRES: it is one of `lists`.
  Value list(const Value& v) { return loop_.output(kept_.at(v)); }

  // Adds to `body` the nodes that read the values, given the numbers of the
  // iteration and of the next one, and enters them in `map`.
  Status Read(Region& body, Value at, Value next, Graph::ValueMap& map);

 private:
  // A carried integer that grows by the same step in each iteration.
  struct Counter {
    int carried;
    Array step;
    bool down;
  };
  void FindCounters();
  Result<Value> Count(Region& body, const Counter& counter, Value at);
  // The kept carried value whose next value is `v`; -1: none.
  int NextOf(const Value& v) const;

  Graph& graph_;
  Node& loop_;
  Region& body_;
  Region& after_;
  LoopExtension extension_;
  std::vector<Value> residuals_;
  std::unordered_map<Value, Counter, ValueHash> counters_;
  std::unordered_map<Value, int, ValueHash> kept_;  // outputs of the loop
  std::unordered_map<Value, int, ValueHash> next_;  // carried values
  std::unordered_map<int, Value> longer_;           // their lists, and the last
  int trips_ = -1;
};

}  // namespace sluice
