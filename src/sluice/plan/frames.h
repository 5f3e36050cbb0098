// Frames: which loop each node of a flat graph belongs to. An Enter leads into
// the frame it names and an Exit leads out of it. Every other node is in the
// frame of its inputs. Constants and handles belong to no frame and are visible
// in all.
//
// Plain values, created by the thread that builds a plan.
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
  const Node* enter = nullptr;      // the first Enter
  const Node* loop_cond = nullptr;  // null if there is none
  int64_t parallel = 1;
};

class FrameMap {
 public:
  // Adds the nodes of a region under a new base frame and returns the number of
  // that frame. `order` is topological except for back edges; `everywhere`
  // tells which nodes belong to no frame. Errors: inputs from different frames,
  // a frame entered from two places, a second LoopCond, an Exit or
  // NextIteration outside of all frames, a NextIteration that does not lead to
  // a Merge.
  Result<int> AddRegion(const std::vector<Node*>& order,
                        const std::function<bool(const Node&)>& everywhere);

  const std::vector<FrameType>& frames() const { return frames_; }
  // The frame of the node's outputs.
  int of(const Node& node) const;
  // The frame in which the node runs: outside for an Enter, inside for an Exit.
  int runs_in(const Node& node) const;
  // Assigns a region's arguments to the frame of their base.
  void SetArgs(const Node& args, int frame) { of_[&args] = frame; }

 private:
  class RegionWalk;
  std::vector<FrameType> frames_;
  std::unordered_map<const Node*, int> of_;
  std::unordered_map<const Node*, int> runs_in_;
};

}  // namespace sluice
