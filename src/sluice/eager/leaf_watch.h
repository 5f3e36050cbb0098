// LeafWatch: gets the gradients of some leaves as soon as backward() has each
// of them complete, while the run goes on with others, to send them to other
// machines. Gradients it takes are its own; the others are added to the leaves'
// grad as always.
//
// Watches are told on the thread that runs backward(), by runs without inputs
// that are not inside of another. A watch outlives its registration.
#pragma once

#include <cstddef>
#include <span>

#include "sluice/eager/tensor.h"

namespace sluice {

class LeafWatch {
 public:
  virtual ~LeafWatch() = default;
  // A run begins that leads to leaves of this watch. False: skip this run.
  virtual bool Begin() = 0;
  // The whole gradient of a leaf, as hooks have left it; its number is that of
  // the registration.
  virtual Status Ready(size_t leaf, const Tensor& gradient) = 0;
  // All leaves of this run have been told.
  virtual Status Finish() = 0;
  // The run failed; Finish() is not called.
  virtual void GiveUp(const Status& why) = 0;
};

// A leaf has one watch at most. Error: it has one.
Status WatchLeaves(std::span<const Tensor> leaves, LeafWatch* watch);
void UnwatchLeaves(LeafWatch* watch);

// For the engine.
struct WatchedLeaf {
  LeafWatch* watch = nullptr;  // null: nobody's
  size_t number = 0;
};
bool AnyLeafWatches();
WatchedLeaf FindLeafWatch(const EagerValue* leaf);

}  // namespace sluice
