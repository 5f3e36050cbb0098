// MemoryWalk: follows a graph in program order and counts live memory. Part of
// memory_forecast.cc.
//
// Values can share memory: a view shares with its base, a list with its
// elements. Therefore the walk counts storage, which lives as long as a value
// or a list refers to it. A loop body is walked twice: first to learn what one
// iteration adds to lists, then as the last iteration, together with the
// additions of all earlier iterations.
//
// Lives for one forecast and is used by one thread.
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
  // The live memory at one point of the program.
  struct State {
    std::vector<Storage> storages;
    std::vector<int> free;  // unused indices of `storages`
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
  // Storage for a value created at this node.
  int NewFor(State& state, const Value& v, const Node& node);
  void Keep(State& state, int storage);
  void Release(State& state, int storage);
  // Binds `v` to this storage and takes over one reference to it.
  void Bind(State& state, const Value& v, int storage);
  // One use of `v` has happened, or will never happen.
  void Used(State& state, const Value& v);
  int StorageOf(const State& state, const Value& v) const;
  // A list to be written in place of `v`: the same list if `v` ends here and is
  // not shared, else a copy that shares the elements. The caller gets one
  // reference.
  int WritableList(State& state, const Value& v, const Node& node);
  bool EndsHere(const State& state, const Value& v) const;
  // The storage of an input that ends at the node and can become `out`.
  int TakenOver(State& state, const Node& node, const Value& out);
  // Makes the results of a walked region the outputs of a node.
  void BindResults(State& state, const Region& region, Node& node);
  // The content of a list, including nested lists: bytes by device and site.
  using Content =
      std::map<std::tuple<int, std::string_view, const char*, int>, Storage>;
  static void AddContent(const State& state, int list, Content& content);
  // Adds the entries that the earlier iterations put into lists to the lists
  // that enter the last iteration.
  void AddEarlier(State& state, const Region& body, const State& before,
                  const State& after, int loop, std::optional<int64_t> trips);
  // Binds carried values to the arguments; values that end here pass on their
  // storage.
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
  int quiet_ = 0;  // > 0 during walks that only learn: they record nothing
};

}  // namespace sluice
