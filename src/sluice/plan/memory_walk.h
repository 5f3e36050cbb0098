// MemoryWalk: follows a graph in program order and counts what is live. Part of
// memory_forecast.cc.
//
// Values share what they occupy: a view with what it looks into, a list with
// its elements. So what is counted is storage, which lives as long as a value
// or a list refers to it. A loop's body is walked twice: first to learn what an
// iteration adds to lists, then as the last iteration, with what all earlier
// ones have added.
//
// Lives for one forecast.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "sluice/placement/value_places.h"
#include "sluice/plan/memory_forecast.h"

namespace sluice {

class MemoryWalk {
 public:
  MemoryWalk(const Graph& graph, std::vector<std::string> args);
  Result<MemoryForecast> Run();

 private:
  static constexpr int kNothing = -1;  // no storage
  struct Storage {
    int device = 0;
    ByteCount bytes;
    AllocationSite site;
    int refs = 0;
    bool list = false;
    std::vector<int> elements;  // of a list
  };
  // What is live at one point of the program.
  struct State {
    std::vector<Storage> storages;
    std::vector<int> free;  // places in it
    std::unordered_map<Value, int, ValueHash> of;
    std::unordered_map<Value, int, ValueHash> uses_left;
    std::vector<ByteCount> live;  // by device
  };

  int DeviceNumber(const std::string& name);
  int PlaceOf(const Value& v);
  // Error: a cycle.
  Status Walk(State& state, const Region& region);
  Status Visit(State& state, Node& node);
  Status VisitLoop(State& state, Node& node);
  Status VisitBranch(State& state, Node& node);
  Status VisitCall(State& state, Node& node, const Region& function);
  void VisitOp(State& state, Node& node);
  void VisitVariable(State& state, Node& node);

  int New(State& state, int device, ByteCount bytes, const Node& node);
  // For a value that is made here.
  int NewFor(State& state, const Value& v, const Node& node);
  void Keep(State& state, int storage);
  void Release(State& state, int storage);
  // `v` is born with this storage, of which it has one reference.
  void Bind(State& state, const Value& v, int storage);
  // One use of it, or one that never comes, is over.
  void Used(State& state, const Value& v);
  int StorageOf(const State& state, const Value& v) const;
  // A list that `v` refers to, to be written: itself where `v` ends here and
  // nobody else sees it, else a copy that shares its elements. The caller has a
  // reference.
  int WritableList(State& state, const Value& v, const Node& node);
  bool EndsHere(const State& state, const Value& v) const;
  // An input that ends with the node and may become its output.
  int TakenOver(State& state, const Node& node, const Value& out);
  // The results of a region that was walked become a node's outputs.
  void BindResults(State& state, const Region& region, Node& node);
  // What is in a list, lists inside it included: bytes by device and site.
  using Content =
      std::map<std::tuple<int, std::string_view, const char*, int>, Storage>;
  static void AddContent(const State& state, int list, Content& content);
  // Adds to the lists that go into the last iteration what the earlier ones
  // have put there.
  void AddEarlier(State& state, const Region& body, const State& before,
                  const State& after, int loop, std::optional<int64_t> trips);
  // Carried values become arguments; those that end here, with their storage.
  void EnterLoop(State& state, const Node& node, const Region& region);
  int LoopNumber(const Node& loop);
  void Record(const State& state, int device, const Node& node);

  const Graph& graph_;
  ValuePlaces places_;
  const std::vector<std::string> args_;
  std::vector<std::string> device_names_;
  std::vector<bool> on_host_;  // by device
  MemoryForecast forecast_;
  std::unordered_map<const Node*, int> loop_numbers_;
  std::set<const Region*> calling_;
  std::map<std::tuple<int, std::string, const void*>, size_t> unknown_;
  int quiet_ = 0;  // walks that only learn: nothing is recorded
};

}  // namespace sluice
