#include "sluice/graph/effects.h"

#include <algorithm>
#include <map>
#include <set>

namespace sluice {

Value HandleOrigin(Value handle) {
  while (handle.node->num_inputs() == 1 && handle.node->op().view &&
         handle.node->input(0).dtype() == DType::kResource) {
    handle = handle.node->input(0);
  }
  return handle;
}

namespace {

// What has happened to one resource so far.
struct Track {
  Node* last_write = nullptr;
  std::vector<Node*> reads_since;
};

// The resource a handle refers to, as a key equal for handles that may share
// it: the shared name and container where there is one, the node else.
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
  for (Node* node : region.nodes()) {
    const OpRecord& op = node->op();
    if (op.effect != Effect::kNone && node->num_inputs() > 0) {
      touch(node, ResourceKey(node->input(0)), op.effect == Effect::kWrite);
    }
    if (!op.global_effect.empty()) {
      touch(node, "global " + op.global_effect, true);
    }
  }
  return edges;
}

}  // namespace sluice
