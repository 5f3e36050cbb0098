// RawRegion: a region with primitives, as the token machine sees it: the frame
// in which each node runs, and the readers of each node. Reads from inside
// conditionals and loops count as reads by these.
//
// A snapshot; the region must not change while it is used.
#pragma once

#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"
#include "sluice/graph/traverse.h"

namespace sluice {

// Whether regions contain primitives. Looked up once per region, on demand: a
// region of a million nodes takes some milliseconds.
class RawRegions {
 public:
  bool Holds(const Region* region) {
    auto [it, first] = holds_.try_emplace(region, false);
    if (first) it->second = HasPrimitives(*region);
    return it->second;
  }

 private:
  std::unordered_map<const Region*, bool> holds_;
};

class RawRegion {
 public:
  static constexpr int kNoFrame = -1;  // constants, which are in all frames
  static constexpr int kRootFrame = 0;

  struct Frame {
    std::string name;
    int parent = kNoFrame;
    // False if values of other frames are used in it other than through an
    // Enter.
    bool regular = true;
    std::vector<Node*> nodes;  // in order; with its Enters, without its Exits
    std::vector<Node*> exits;
  };

  // Error: the region has a cycle.
  static Result<RawRegion> Look(Region& region);

  Region& region() const { return *region_; }
  const std::vector<Frame>& frames() const { return frames_; }
  int frame(const Node& node) const { return frame_.at(&node); }
  // The position of the node in program order.
  int place(const Node& node) const { return place_.at(&node); }

  // Nodes of this region that read or wait for the node, themselves or inside.
  const std::vector<Node*>& users(const Node& node) const;
  // The values a node reads, itself or inside, without repeats.
  const std::vector<Value>& reads(const Node& node) const {
    return reads_.at(&node);
  }
  bool Reads(const Node& node, const Value& v) const;
  // Whether `a` is alive whenever `b` is, according to the Switches they pass.
  bool AliveWith(const Value& a, const Value& b) const;
  // Whether it is a result or a target of the region.
  bool Asked(const Node& node) const { return asked_.count(&node) > 0; }
  // Whether one of these nodes has an effect and another node with an effect is
  // between the first of them and `place`.
  bool EffectsBetween(const std::vector<Node*>& nodes, const Node& place) const;

 private:
  Status FindUsers();
  Status FindFrames();
  int FrameOf(const Node& node);
  void FindGates(const Node& node);
  int GateOf(const Value& pred, int side);
  std::set<int> GatesOf(const Value& v) const;

  Region* region_ = nullptr;
  std::vector<Frame> frames_;
  std::unordered_map<const Node*, int> frame_, place_;
  std::unordered_map<const Node*, std::vector<Node*>> users_;
  std::unordered_map<const Node*, std::vector<Value>> reads_;
  std::unordered_set<const Node*> asked_;
  // The conditions under which the node runs: sides of predicates, by number,
  // and a separate number for each condition that is not understood.
  std::unordered_map<const Node*, std::set<int>> gates_;
  // Number of the else side.
  std::unordered_map<Value, int, ValueHash> gate_ids_;
  int num_gates_ = 0;
};

}  // namespace sluice
