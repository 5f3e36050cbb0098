#include "sluice/graph/effects.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "sluice/graph/check_order.h"

namespace sluice {

Value HandleOrigin(Value handle) {
  while (handle.node->num_inputs() == 1 && handle.node->op().view &&
         handle.node->input(0).dtype() == DType::kResource) {
    handle = handle.node->input(0);
  }
  return handle;
}

namespace {

// The accesses to one resource so far.
struct Track {
  Node* last_write = nullptr;
  std::vector<Node*> reads_since;
};

// The resource a handle refers to, as a key that is equal for handles that may
// share it: the shared name and container if there is one, otherwise the node.
std::string ResourceKey(Value handle) {
  Value origin = HandleOrigin(handle);
  const Attrs& attrs = origin.node->attrs();
  const AttrValue* shared = attrs.find("shared_name");
  const AttrValue* container = attrs.find("container");
  std::string name = origin.ToString();
  if (shared && shared->kind() == AttrKind::kString &&
      !shared->get<std::string>().empty()) {
    name = shared->get<std::string>();
  }
  std::string where;
  if (container && container->kind() == AttrKind::kString) {
    where = container->get<std::string>() + "/";
  }
  return where + name;
}

bool IsCheck(const OpRecord& op) { return op.role == Role::kAssert; }

// Work that must not happen if an earlier check fails. An asynchronous op may
// wait for work behind the check.
bool IsGuarded(const OpRecord& op) {
  bool changes = op.effect == Effect::kWrite || !op.global_effect.empty();
  return changes && !op.async();
}

// Collects the resources a node accesses. A region op accesses those of its
// nodes, a call those of its function.
class Touches {
 public:
  Touches(std::vector<ResourceUse>& uses, bool checks)
      : uses_(uses), checks_(checks) {}

  void Visit(const Node& node) {
    const OpRecord& op = node.op();
    if (op.effect != Effect::kNone && node.num_inputs() > 0) {
      Add(ResourceKey(node.input(0)), op.effect == Effect::kWrite);
    }
    if (!op.global_effect.empty()) Add("global " + op.global_effect, true);
    if (checks_ && IsCheck(op)) Add(std::string(kChecks), true);
    if (checks_ && IsGuarded(op)) Add(std::string(kChecks), false);
    if (op.flow == Flow::kFunction) return;  // does nothing until it is called
    for (const auto& region : node.regions()) VisitRegion(*region);
    if (op.flow == Flow::kCall) {
      const Node* function = node.input(0).node;
      if (function->regions().empty()) return;
      if (called_.insert(function).second) {
        VisitRegion(*function->regions()[0]);
      }
    }
  }

 private:
  void VisitRegion(const Region& region) {
    for (const Node* node : region.nodes()) Visit(*node);
  }
  void Add(const std::string& resource, bool write) {
    for (ResourceUse& use : uses_) {
      if (use.resource != resource) continue;
      use.write = use.write || write;
      return;
    }
    uses_.push_back({resource, write});
  }

  std::vector<ResourceUse>& uses_;
  const bool checks_;
  std::set<const Node*> called_;
};

}  // namespace

std::vector<ResourceUse> ResourcesUsed(const Node& node) {
  std::vector<ResourceUse> uses;
  Touches(uses, /*checks=*/false).Visit(node);
  return uses;
}

std::vector<ResourceUse> OrderedUses(const Node& node) {
  std::vector<ResourceUse> uses;
  Touches(uses, /*checks=*/true).Visit(node);
  return uses;
}

bool HasOrderedUses(const Node& node) {
  const OpRecord& op = node.op();
  return op.effect != Effect::kNone || !op.global_effect.empty() ||
         op.flow != Flow::kNone || IsCheck(op);
}

namespace {

// Looks for checks and guarded work; functions count where they are defined.
void FindChecks(const Region& region, bool& checks, bool& guarded) {
  for (const Node* node : region.nodes()) {
    checks = checks || IsCheck(node->op());
    guarded = guarded || IsGuarded(node->op());
    for (const auto& inner : node->regions()) {
      FindChecks(*inner, checks, guarded);
    }
  }
}

}  // namespace

bool ChecksGuardState(const Region& region) {
  bool checks = false, guarded = false;
  FindChecks(region, checks, guarded);
  return checks && guarded;
}

namespace {

// The node of `region` that is `node` or contains it.
Node* Around(Node* node, const Region& region) {
  while (node && node->region() != &region) node = node->region()->owner();
  return node;
}

// Orders readers of a list before a node that may write it in place, so that
// the writer is the sole holder. This only affects speed, so it is applied only
// to readers above, which excludes cycles. Among primitives, a node that waits
// for a dead one would be dead, too.
template <class Order>
void ReadersOfListsFirst(const Region& region, const Order& order) {
  std::unordered_map<const Node*, size_t> position;
  for (Node* node : region.nodes()) {
    if (node->op().flow > Flow::kCall) return;
  }
  for (Node* writer : region.nodes()) {
    if (!writer->op().cpu().in_place || writer->num_inputs() == 0) continue;
    Value list = writer->input(0);
    if (list.dtype() != DType::kList) continue;
    if (position.empty()) {
      for (Node* node : region.nodes()) position[node] = position.size();
    }
    for (Node* user : list.node->users()) {
      Node* reader = Around(user, region);
      if (!reader || position[reader] >= position[writer]) continue;
      auto in = user->inputs();
      if (std::find(in.begin(), in.end(), list) == in.end()) continue;
      order(reader, writer, "list " + list.ToString());
    }
  }
}

}  // namespace

std::vector<EffectEdge> EffectEdges(const Region& region) {
  std::vector<EffectEdge> edges;
  std::map<std::string, Track> tracks;
  std::set<std::pair<Node*, Node*>> seen;
  auto order = [&](Node* before, Node* after, const std::string& resource) {
    if (before == after || !seen.emplace(before, after).second) return;
    for (const Value& v : after->inputs()) {
      if (v.node == before) return;
    }
    edges.push_back({before, after, resource});
  };
  auto touch = [&](Node* node, const std::string& resource, bool write) {
    Track& track = tracks[resource];
    if (!write) {
      if (track.last_write) order(track.last_write, node, resource);
      track.reads_since.push_back(node);
      return;
    }
    for (Node* read : track.reads_since) order(read, node, resource);
    if (track.last_write && track.reads_since.empty()) {
      order(track.last_write, node, resource);
    }
    track.last_write = node;
    track.reads_since.clear();
  };
  bool checks = false, guarded = false;
  std::vector<std::pair<Node*, std::vector<ResourceUse>>> all;
  for (Node* node : region.nodes()) {
    if (!HasOrderedUses(*node)) continue;
    all.emplace_back(node, OrderedUses(*node));
    for (const ResourceUse& use : all.back().second) {
      if (use.resource != kChecks) continue;
      checks = checks || use.write;
      guarded = guarded || !use.write || node->op().flow != Flow::kNone;
    }
  }
  for (const auto& [node, uses] : all) {
    for (const ResourceUse& use : uses) {
      // Checks alone may overlap.
      if (use.resource == kChecks && !(checks && guarded)) continue;
      touch(node, use.resource, use.write);
    }
  }
  ReadersOfListsFirst(region, order);
  return edges;
}

}  // namespace sluice
