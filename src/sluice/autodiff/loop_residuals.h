// LoopResiduals: what the backward loop reads of the forward loop's iterations,
// and how it comes by it. Most is kept in lists by the forward loop. A counter
// is computed from the number of the iteration; what one iteration gives is
// what the next one starts from, and kept once.
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
  // What is computed after the loop is computed in `after`.
  LoopResiduals(Graph& graph, Node& loop, Region& after)
      : graph_(graph),
        loop_(loop),
        body_(*loop.regions()[1]),
        after_(after),
        extension_(graph, loop) {}

  // Makes the forward loop keep what the gradient of its body reads, and
  // `lists` of values of the body whatever it reads.
  Status Keep(InnerGradient& inner, const std::vector<Value>& lists);
  // The number of iterations there were.
  Value trips() { return loop_.output(trips_); }
  // All that a value was, by iteration. REQUIRES: one of `lists`.
  Value list(const Value& v) { return loop_.output(kept_.at(v)); }

  // Adds to `body`, where the numbers of the iteration and of the next one are
  // given, what reads them, and says so in `map`.
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
  // The carried value that `v` is the next one of; -1 when it is none that is
  // kept.
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
