// RawRegion: a region that holds primitives of the token machine, looked at as
// the token machine sees it: which frame each node runs in, and who reads what
// a node gives, with reads from inside conditionals and loops counted as reads
// by these.
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

// Whether regions hold primitives, looked up once per region and only when
// somebody asks: a region of a million nodes takes some milliseconds.
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
  static constexpr int kNoFrame = -1;  // constants: at home everywhere
  static constexpr int kRootFrame = 0;

  struct Frame {
    std::string name;
    int parent = kNoFrame;
    // False when values of other frames are used in it other than by an Enter.
    bool regular = true;
    std::vector<Node*> nodes;  // in order; with its Enters, without its Exits
    std::vector<Node*> exits;
  };

  // Error: the region has a cycle.
  static Result<RawRegion> Look(Region& region);

  Region& region() const { return *region_; }
  const std::vector<Frame>& frames() const { return frames_; }
  int frame(const Node& node) const { return frame_.at(&node); }
  // Where the node stands in program order.
  int place(const Node& node) const { return place_.at(&node); }

  // Nodes of this region that read or wait for the node, itself or inside.
  const std::vector<Node*>& users(const Node& node) const;
  // What a node reads, itself or inside, without repeats.
  const std::vector<Value>& reads(const Node& node) const {
    return reads_.at(&node);
  }
  bool Reads(const Node& node, const Value& v) const;
  // True when `a` is alive whenever `b` is, as far as the Switches they come
  // through tell.
  bool AliveWith(const Value& a, const Value& b) const;
  // True when it is a result or a target of the region.
  bool Asked(const Node& node) const { return asked_.count(&node) > 0; }
  // True when one of these nodes has an effect, and another node that has one
  // stands between the first of them and `place`.
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
  // What must have gone which way for the node to run: sides of predicates, by
  // number, and whatever cannot be understood, each a number of its own.
  std::unordered_map<const Node*, std::set<int>> gates_;
  std::unordered_map<Value, int, ValueHash> gate_ids_;  // of the else side
  int num_gates_ = 0;
};

}  // namespace sluice
