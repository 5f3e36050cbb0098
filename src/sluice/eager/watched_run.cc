#include "sluice/eager/watched_run.h"

#include <new>
#include <unordered_set>

namespace sluice {

namespace {

// Made before it is needed, which may be where there is no memory.
const Status& DidNotEnd() {
  static const auto& status = *new Status(Aborted("backward() did not end"));
  return status;
}

}  // namespace

WatchedRun::~WatchedRun() {
  if (watches_.empty()) return;
  try {
    GiveUp(DidNotEnd());
  } catch (const std::bad_alloc&) {
    // Those behind are told by their own time limits.
    watches_.clear();
  }
}

void WatchedRun::Begin(std::span<const EagerRef> roots) {
  std::vector<const TapeNode*> open;
  std::vector<const TapeNode*> others;  // that do not lead to leaves alone
  std::unordered_set<const TapeNode*> seen;
  std::unordered_map<LeafWatch*, bool> takes_part;
  DidNotEnd();
  for (const EagerRef& root : roots) {
    if (root->producer && seen.insert(root->producer.get()).second) {
      open.push_back(root->producer.get());
    }
  }
  while (!open.empty()) {
    const TapeNode* node = open.back();
    open.pop_back();
    bool last = true;
    for (const TapeEdge& edge : node->edges) {
      last = last && !edge.node;
      if (edge.node) ++last_calls_[edge.node.get()];
      if (edge.node && seen.insert(edge.node.get()).second) {
        open.push_back(edge.node.get());
      }
      if (!edge.leaf) continue;
      auto [it, fresh] = leaves_.try_emplace(edge.leaf.get());
      Leaf& leaf = it->second;
      if (fresh) leaf.watched = FindLeafWatch(edge.leaf.get());
      ++leaf.left;
      LeafWatch* watch = leaf.watched.watch;
      if (!fresh || !watch) continue;
      // Asked in the order they are met, which is the same on every rank.
      auto [part, first] = takes_part.try_emplace(watch);
      if (!first) continue;
      part->second = watch->Begin();
      if (part->second) watches_.push_back(watch);
    }
    if (!last) others.push_back(node);
  }
  for (const TapeNode* node : others) last_calls_.erase(node);
  std::erase_if(leaves_, [&](const auto& entry) {
    LeafWatch* watch = entry.second.watched.watch;
    return !watch || !takes_part[watch];
  });
}

bool WatchedRun::Passed(const EagerValue* leaf) {
  auto it = leaves_.find(leaf);
  return it != leaves_.end() && --it->second.left == 0;
}

bool WatchedRun::Passed(const TapeNode* call) {
  auto it = last_calls_.find(call);
  return it != last_calls_.end() && --it->second == 0;
}

bool WatchedRun::Wanted(const EagerValue* leaf) const {
  auto it = leaves_.find(leaf);
  return it != leaves_.end() && !it->second.told;
}

bool WatchedRun::Taken(const EagerValue* leaf) const {
  auto it = leaves_.find(leaf);
  return it != leaves_.end() && it->second.told;
}

Status WatchedRun::Ready(const EagerValue* leaf, const Tensor& gradient) {
  Leaf& l = leaves_.find(leaf)->second;
  l.told = true;
  return l.watched.watch->Ready(l.watched.number, gradient);
}

Status WatchedRun::Finish() {
  // Those after one that fails give up.
  for (size_t i = 0; i < watches_.size(); ++i) {
    Status status = watches_[i]->Finish();
    if (status.ok()) continue;
    watches_.erase(watches_.begin(),
                   watches_.begin() + static_cast<ptrdiff_t>(i) + 1);
    return status;
  }
  watches_.clear();
  return OkStatus();
}

void WatchedRun::GiveUp(const Status& why) {
  for (LeafWatch* watch : watches_) watch->GiveUp(why);
  watches_.clear();
}

}  // namespace sluice
