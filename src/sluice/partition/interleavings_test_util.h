// Runs the pieces of a split graph as state machines, by the rules of the
// reference interpreter, in every possible order. Used by one thread of a test.
//
// An event is: a node fires, a conditional or a loop is entered or left, a
// condition is evaluated, an iteration ends. The result of an event depends
// only on its inputs, so the set of past events is the whole state. Iterations
// run one after another, a region op delivers its results when everything
// inside is done, and a Send is done when its message is taken: no executor
// waits more than that.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "sluice/graph/effects.h"
#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"
#include "sluice/partition/split_by_task.h"
#include "sluice/tensor/array.h"

namespace sluice {

class Interleavings {
 public:
  Interleavings(const std::vector<TaskPiece>& pieces,
                const std::vector<Array>& args);

  // Tries every order, for at most `most_states` states. Errors: an order that
  // gets stuck before everything is done, an event with different results in
  // different orders, too many states.
  Status TryAll(size_t most_states);
  size_t num_states() const { return seen_.size(); }
  // The results of the whole graph, by result number.
  const std::map<int, Array>& results() const { return results_; }

 private:
  using State = std::vector<uint64_t>;  // bits by event
  struct StateHash {
    size_t operator()(const State& state) const;
  };
  // One run of a region.
  struct Place {
    int piece = 0;
    const Region* region = nullptr;
    int outer = -1;
    int64_t iteration = 0;
    uint64_t tag = 0;
  };
  enum class Kind : uint8_t { kFire, kEnter, kLeave, kCond, kBody };
  struct Event {
    int place;
    Node* node;
    Kind kind;
    int64_t iteration;  // kCond, kBody
    auto operator<=>(const Event&) const = default;
  };

  static bool Has(const State& state, int event);
  int IdOf(const Event& event);
  int PlaceOf(int outer, const Region& region, int64_t iteration, uint64_t tag);
  // The value there; empty if it does not exist yet in this state.
  Array Lookup(const State& state, int place, const Value& v);
  bool Done(const State& state, int place, Node& node);
  bool AllDone(const State& state, int place);
  bool Ready(const State& state, int place, Node& node);
  void Enabled(const State& state, int place, std::vector<int>& out);
  void EnabledInside(const State& state, int place, Node& node,
                     std::vector<int>& out);
  Result<std::vector<Array>> Give(const State& state, const Event& event);

  std::vector<Place> places_;
  std::map<std::tuple<int, const Region*, int64_t>, int> place_ids_;
  std::vector<int> roots_;
  std::vector<const TaskPiece*> pieces_;
  std::vector<Array> args_;
  std::vector<Event> events_;
  std::map<Event, int> event_ids_;
  std::vector<std::vector<Array>> given_;  // by event; empty: not yet
  std::vector<bool> known_;
  std::map<std::pair<int64_t, uint64_t>, int> sent_, taken_;  // events
  std::map<const Region*, std::vector<EffectEdge>> effects_;
  std::unordered_set<State, StateHash> seen_;
  std::map<int, Array> results_;
};

}  // namespace sluice
