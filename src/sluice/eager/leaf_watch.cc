#include "sluice/eager/leaf_watch.h"

#include <atomic>
#include <unordered_map>

#include "sluice/base/strings.h"
#include "sluice/base/thread_annotations.h"

namespace sluice {

namespace {

struct Entry {
  EagerRef kept;  // so that no other value gets its address
  WatchedLeaf watched;
};

struct Watches {
  std::atomic<size_t> count{0};
  Mutex mu;
  std::unordered_map<const EagerValue*, Entry> leaves SL_GUARDED_BY(mu);
  static Watches& Get() {
    static auto* watches = new Watches;
    return *watches;
  }
};

}  // namespace

Status WatchLeaves(std::span<const Tensor> leaves, LeafWatch* watch) {
  Watches& all = Watches::Get();
  MutexLock lock(all.mu);
  for (const Tensor& leaf : leaves) {
    if (all.leaves.count(leaf.eager().get())) {
      return AlreadyExists(StrCat(leaf.eager()->Describe(),
                                  ", is watched already; wanted each parameter "
                                  "in one data parallel model"));
    }
  }
  for (size_t i = 0; i < leaves.size(); ++i) {
    const EagerRef& value = leaves[i].eager();
    all.leaves[value.get()] = {value, {watch, i}};
  }
  all.count.store(all.leaves.size(), std::memory_order_release);
  return OkStatus();
}

void UnwatchLeaves(LeafWatch* watch) {
  Watches& all = Watches::Get();
  std::vector<EagerRef> gone;  // ended after the lock
  MutexLock lock(all.mu);
  for (auto it = all.leaves.begin(); it != all.leaves.end();) {
    if (it->second.watched.watch != watch) {
      ++it;
      continue;
    }
    gone.push_back(std::move(it->second.kept));
    it = all.leaves.erase(it);
  }
  all.count.store(all.leaves.size(), std::memory_order_release);
}

bool AnyLeafWatches() {
  return Watches::Get().count.load(std::memory_order_acquire) > 0;
}

WatchedLeaf FindLeafWatch(const EagerValue* leaf) {
  Watches& all = Watches::Get();
  MutexLock lock(all.mu);
  auto it = all.leaves.find(leaf);
  return it == all.leaves.end() ? WatchedLeaf() : it->second.watched;
}

}  // namespace sluice
