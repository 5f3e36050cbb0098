// Frames: which loop each node of a flat graph belongs to. An Enter leads into
// the frame of its name, an Exit out of it; everything else is where its inputs
// are. Constants and handles are everywhere.
//
// Plain values, made while a plan is built.
#pragma once

#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

struct FrameType {
  std::string name;  // empty for the root and for functions
  int parent = -1;
  const Node* enter = nullptr;      // the first one
  const Node* loop_cond = nullptr;  // null: none
  int64_t parallel = 1;
};

class FrameMap {
 public:
  // Adds a region's nodes under a base frame of their own, whose number is
  // returned. `order` is topological, back edges aside; `everywhere` says what
  // is in no frame. Errors: inputs from different frames, a frame entered from
  // two places, a second LoopCond, an Exit or NextIteration outside of frames,
  // a NextIteration that leads to something else than a Merge.
  Result<int> AddRegion(const std::vector<Node*>& order,
                        const std::function<bool(const Node&)>& everywhere);

  const std::vector<FrameType>& frames() const { return frames_; }
  // Where the node's outputs are.
  int of(const Node& node) const;
  // Where it runs: an Enter outside, an Exit inside.
  int runs_in(const Node& node) const;
  // The frame a base belongs to for a region's arguments.
  void SetArgs(const Node& args, int frame) { of_[&args] = frame; }

 private:
  class RegionWalk;
  std::vector<FrameType> frames_;
  std::unordered_map<const Node*, int> of_;
  std::unordered_map<const Node*, int> runs_in_;
};

}  // namespace sluice
