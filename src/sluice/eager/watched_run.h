// WatchedRun: one backward run as watches of leaves see it (leaf_watch.h): the
// calls that still lead to each of their leaves, and who has been told what.
//
// Of one run, on its thread.
#pragma once

#include <unordered_map>
#include <vector>

#include "sluice/eager/leaf_watch.h"
#include "sluice/eager/tape.h"

namespace sluice {

class WatchedRun {
 public:
  // Whatever ends the run before Finish() makes the watches give up.
  ~WatchedRun();

  // Follows the calls behind `roots`.
  void Begin(std::span<const EagerRef> roots);
  bool any() const { return !leaves_.empty(); }
  // A call has passed on what flows to its inputs: whether that made the leaf
  // complete.
  bool Passed(const EagerValue* leaf);
  // The same of a call before it, where that leads to leaves alone.
  bool Passed(const TapeNode* call);
  // Whether somebody wants the leaf and was not told of it.
  bool Wanted(const EagerValue* leaf) const;
  bool Taken(const EagerValue* leaf) const;
  Status Ready(const EagerValue* leaf, const Tensor& gradient);
  Status Finish();
  void GiveUp(const Status& why);

 private:
  struct Leaf {
    WatchedLeaf watched;
    int64_t left = 0;  // calls that lead to it and have not passed
    bool told = false;
  };
  std::unordered_map<const EagerValue*, Leaf> leaves_;
  // Calls that lead to leaves alone, with the uses that have not passed.
  std::unordered_map<const TapeNode*, int64_t> last_calls_;
  std::vector<LeafWatch*> watches_;  // that have begun
};

}  // namespace sluice
