#include "sluice/passes/raw_region.h"

#include <algorithm>

#include "sluice/passes/may_move.h"

namespace sluice {

namespace {

// Collects all nodes that a node waits for, directly or from nested nodes.
void CollectControls(const Node& node, const Region& region,
                     std::vector<Node*>& controls) {
  for (Node* control : node.controls()) {
    if (control->region() == &region) controls.push_back(control);
  }
  for (const auto& inner : node.regions()) {
    for (const Node* n : inner->nodes()) CollectControls(*n, region, controls);
  }
}

}  // namespace

Result<RawRegion> RawRegion::Look(Region& region) {
  RawRegion raw;
  raw.region_ = &region;
  SL_RETURN_IF_ERROR(raw.FindUsers());
  SL_RETURN_IF_ERROR(raw.FindFrames());
  return raw;
}

Status RawRegion::FindUsers() {
  int place = 0;
  for (Node* node : region_->nodes()) {
    place_[node] = place++;
    std::vector<Value>& reads = reads_[node];
    std::unordered_set<Value, ValueHash> seen;
    for (const Value& v : InputsWithCaptures(*node)) {
      if (seen.insert(v).second) reads.push_back(v);
    }
    std::unordered_set<const Node*> used;
    auto use = [&](Node* producer) {
      if (producer->region() == region_ && used.insert(producer).second) {
        users_[producer].push_back(node);
      }
    };
    for (const Value& v : reads) use(v.node);
    std::vector<Node*> controls;
    CollectControls(*node, *region_, controls);
    for (Node* control : controls) use(control);
  }
  for (const Value& v : region_->results()) asked_.insert(v.node);
  for (const Node* target : region_->targets()) asked_.insert(target);
  return OkStatus();
}

const std::vector<Node*>& RawRegion::users(const Node& node) const {
  static const std::vector<Node*> kNone;
  auto it = users_.find(&node);
  return it == users_.end() ? kNone : it->second;
}

bool RawRegion::Reads(const Node& node, const Value& v) const {
  const std::vector<Value>& reads = reads_.at(&node);
  return std::find(reads.begin(), reads.end(), v) != reads.end();
}

int RawRegion::FrameOf(const Node& node) {
  int found = kNoFrame;
  auto meet = [&](const Node* before) {
    if (before->region() != region_) return;  // always available
    int frame = before->is_args() ? kRootFrame : frame_.at(before);
    if (frame == kNoFrame || frame == found) return;
    if (found == kNoFrame) {
      found = frame;
      return;
    }
    frames_[static_cast<size_t>(frame)].regular = false;
    frames_[static_cast<size_t>(found)].regular = false;
  };
  for (const Value& v : reads_.at(&node)) {
    if (!IsBackEdge(node, v)) meet(v.node);
  }
  std::vector<Node*> controls;
  CollectControls(node, *region_, controls);
  for (const Node* control : controls) meet(control);
  if (found != kNoFrame) return found;
  bool constant = node.num_outputs() > 0 &&
                  ConstantValue(Value{const_cast<Node*>(&node), 0}) != nullptr;
  return constant ? kNoFrame : kRootFrame;
}

Status RawRegion::FindFrames() {
  frames_.push_back({});
  std::unordered_map<std::string, int> ids;  // "3/loop": within its parent
  SL_ASSIGN_OR_RETURN(std::vector<Node*> order, TopologicalOrder(*region_));
  for (Node* node : order) {
    int frame = FrameOf(*node);
    if (node->op().flow == Flow::kEnter) {
      int parent = std::max(frame, kRootFrame);
      const auto& name = node->attrs().get<std::string>("frame");
      auto [it, made] = ids.try_emplace(std::to_string(parent) + "/" + name,
                                        static_cast<int>(frames_.size()));
      if (made) {
        frames_.emplace_back();
        frames_.back().name = name;
        frames_.back().parent = parent;
      }
      frame = it->second;
    } else if (node->op().flow == Flow::kExit && frame > kRootFrame) {
      frames_[static_cast<size_t>(frame)].exits.push_back(node);
      frame = frames_[static_cast<size_t>(frame)].parent;
    }
    frame_[node] = frame;
    FindGates(*node);
  }
  for (Node* node : region_->nodes()) {
    int frame = frame_.at(node);
    if (frame == kNoFrame) continue;
    frames_[static_cast<size_t>(frame)].nodes.push_back(node);
  }
  auto by_place = [&](const Node* a, const Node* b) {
    return place_.at(a) < place_.at(b);
  };
  for (Frame& frame : frames_) {
    std::sort(frame.exits.begin(), frame.exits.end(), by_place);
  }
  return OkStatus();
}

int RawRegion::GateOf(const Value& pred, int side) {
  auto [it, made] = gate_ids_.try_emplace(pred, num_gates_);
  if (made) num_gates_ += 2;
  return it->second + side;
}

std::set<int> RawRegion::GatesOf(const Value& v) const {
  auto it = gates_.find(v.node);
  if (it == gates_.end()) return {};  // arguments and outer values
  std::set<int> gates = it->second;
  if (v.node->op().flow == Flow::kSwitch) {
    gates.insert(gate_ids_.at(v.node->input(1)) + v.index);
  }
  return gates;
}

void RawRegion::FindGates(const Node& node) {
  std::set<int> gates;
  auto flow = node.op().flow;
  bool own = flow == Flow::kExit;
  for (const Value& v : reads_.at(&node)) {
    if (IsBackEdge(node, v)) continue;
    if (flow == Flow::kMerge && v.node->op().flow != Flow::kEnter) own = true;
    gates.merge(GatesOf(v));
  }
  std::vector<Node*> controls;
  CollectControls(node, *region_, controls);
  for (Node* control : controls) {
    auto it = gates_.find(control);
    if (it != gates_.end()) gates.insert(it->second.begin(), it->second.end());
  }
  if (own) {
    // Alive if one of several is, or when the loop has ended: a condition that
    // is not understood.
    gates.clear();
    gates.insert(num_gates_++);
  }
  if (flow == Flow::kTrigger) gates.clear();  // never dead
  if (flow == Flow::kSwitch) GateOf(node.input(1), 0);
  gates_[&node] = std::move(gates);
}

bool RawRegion::AliveWith(const Value& a, const Value& b) const {
  std::set<int> of_a = GatesOf(a), of_b = GatesOf(b);
  return std::includes(of_b.begin(), of_b.end(), of_a.begin(), of_a.end());
}

bool RawRegion::EffectsBetween(const std::vector<Node*>& nodes,
                               const Node& place) const {
  int first = place_.at(&place);
  for (const Node* node : nodes) {
    if (HasEffect(*node)) first = std::min(first, place_.at(node));
  }
  std::unordered_set<const Node*> own(nodes.begin(), nodes.end());
  for (int i = first; i < place_.at(&place); ++i) {
    const Node* node = region_->nodes()[static_cast<size_t>(i)];
    if (!own.count(node) && !IsPrimitive(*node) && HasEffect(*node)) {
      return true;
    }
  }
  return false;
}

}  // namespace sluice
