// Loops. Part of the memory walk.
#include <algorithm>

#include "sluice/graph/loop_counts.h"
#include "sluice/graph/traverse.h"
#include "sluice/plan/memory_walk.h"

namespace sluice {

int MemoryWalk::LoopNumber(const Node& loop) {
  auto it = loop_numbers_.find(&loop);
  if (it != loop_numbers_.end()) return it->second;
  int number;
  if (const Node* same = CountOf(loop).same_as) {
    number = LoopNumber(*same);
  } else {
    number = static_cast<int>(forecast_.loops.size());
    forecast_.loops.push_back({"", loop.name(), loop.line()});
  }
  loop_numbers_[&loop] = number;
  return number;
}

void MemoryWalk::AddContent(const State& state, int list, Content& content) {
  std::vector<int> open = {list};
  while (!open.empty()) {
    int id = open.back();
    open.pop_back();
    if (id == kNothing) continue;
    const Storage& s = state.storages[static_cast<size_t>(id)];
    open.insert(open.end(), s.elements.begin(), s.elements.end());
    if (s.list || s.bytes.zero()) continue;
    Storage& sum =
        content[{s.device, s.site.op, s.site.line.file, s.site.line.line}];
    sum.device = s.device;
    sum.site = s.site;
    sum.bytes += s.bytes;
  }
}

void MemoryWalk::EnterLoop(State& state, const Node& node,
                           const Region& region) {
  const Region& body = *node.regions()[1];
  for (int i = 0; i < node.num_inputs(); ++i) {
    Value init = node.input(i);
    int storage = StorageOf(state, init);
    Value next = body.results()[static_cast<size_t>(i)];
    if (storage == kNothing || next == body.arg(i) || EndsHere(state, init)) {
      Keep(state, storage);
    } else if (init.dtype() == DType::kList) {
      storage = WritableList(state, init, node);
    } else {
      // The initial value stays for others while the loop continues with its
      // own.
      storage = NewFor(state, body.arg(i), node);
    }
    state.of[region.arg(i)] = storage;
  }
}

void MemoryWalk::AddEarlier(State& state, const Region& body,
                            const State& before, const State& after, int loop,
                            std::optional<int64_t> trips) {
  for (int i = 0; i < body.num_args(); ++i) {
    Value arg = body.arg(i);
    if (arg.dtype() != DType::kList) continue;
    Content was, is;
    AddContent(before, StorageOf(before, arg), was);
    AddContent(after, StorageOf(after, body.results()[static_cast<size_t>(i)]),
               is);
    int list = StorageOf(state, arg);
    if (list == kNothing) continue;
    for (auto& [key, sum] : is) {
      ByteCount added = sum.bytes;
      if (auto it = was.find(key); it != was.end()) added -= it->second.bytes;
      if (added.zero()) continue;
      ByteCount bytes = trips ? added.Times(std::max<int64_t>(*trips, 1) - 1)
                              : added.ForEarlierIterationsOf(loop);
      int storage = New(state, sum.device, bytes, *body.owner());
      state.storages[static_cast<size_t>(storage)].site = sum.site;
      state.storages[static_cast<size_t>(list)].elements.push_back(storage);
    }
  }
}

Status MemoryWalk::VisitLoop(State& state, Node& node) {
  const Region& cond = *node.regions()[0];
  const Region& body = *node.regions()[1];
  std::optional<int64_t> trips = CountOf(node).number;
  std::vector<Value> inputs = InputsWithCaptures(node);
  // The condition: nothing of it stays.
  {
    State tried = state;
    for (int i = 0; i < node.num_inputs(); ++i) {
      int storage = StorageOf(tried, node.input(i));
      Keep(tried, storage);
      tried.of[cond.arg(i)] = storage;
    }
    SL_RETURN_IF_ERROR(Walk(tried, cond));
  }
  EnterLoop(state, node, body);
  // Values that end inside the loop no longer count outside, so that they end
  // with their last use in the body.
  for (const Value& in : inputs) Used(state, in);
  State before = state, after = state;
  ++quiet_;
  Status learned = Walk(after, body);
  --quiet_;
  SL_RETURN_IF_ERROR(learned);
  AddEarlier(state, body, before, after, trips ? -1 : LoopNumber(node), trips);
  SL_RETURN_IF_ERROR(Walk(state, body));
  BindResults(state, body, node);
  return OkStatus();
}

}  // namespace sluice
