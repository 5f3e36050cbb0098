#include "sluice/placement/colocation.h"

#include <map>
#include <numeric>
#include <string>
#include <unordered_map>
#include <utility>

#include "sluice/graph/together_with.h"

namespace sluice {

namespace {

class DisjointSets {
 public:
  explicit DisjointSets(size_t size) : parent_(size) {
    std::iota(parent_.begin(), parent_.end(), size_t{0});
  }
  size_t Find(size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void Union(size_t a, size_t b) { parent_[Find(b)] = Find(a); }

 private:
  std::vector<size_t> parent_;
};

std::string TextAttr(const Node& node, std::string_view name) {
  const AttrValue* attr = node.attrs().find(name);
  if (!attr || attr->kind() != AttrKind::kString) return "";
  return attr->get<std::string>();
}

// Functions are code, not state.
bool Computes(const Node& node) {
  return node.regions().empty() && node.op().flow != Flow::kCall &&
         node.op().flow != Flow::kFunction;
}

// By name, who is asked for: mostly nobody.
std::unordered_map<std::string_view, size_t> Partners(const ValueFlow& flow) {
  std::unordered_map<std::string_view, size_t> partners;
  for (const Node* node : flow.nodes()) {
    std::string_view name = PartnerOf(node->device());
    if (!name.empty()) partners.emplace(name, SIZE_MAX);
  }
  if (partners.empty()) return partners;
  for (size_t n = 0; n < flow.nodes().size(); ++n) {
    auto it = partners.find(flow.nodes()[n]->name());
    if (it != partners.end() && Computes(*flow.nodes()[n])) it->second = n;
  }
  return partners;
}

}  // namespace

std::vector<std::vector<Node*>> ColocationGroups(const ValueFlow& flow) {
  // Values first, then nodes by their place in the flow.
  auto values = static_cast<size_t>(flow.num_values());
  DisjointSets sets(values + flow.nodes().size());
  auto id = [&](const Value& v) { return static_cast<size_t>(flow.IdOf(v)); };
  for (const ValueFlow::Edge& edge : flow.edges()) {
    if (IsHandle(edge.from)) sets.Union(id(edge.from), id(edge.to));
  }
  std::unordered_map<std::string_view, size_t> partners = Partners(flow);
  std::map<std::pair<std::string, std::string>, size_t> shared;
  for (size_t n = 0; n < flow.nodes().size(); ++n) {
    Node* node = flow.nodes()[n];
    if (!Computes(*node)) continue;
    size_t self = values + n;
    for (const Value& v : node->inputs()) {
      if (IsHandle(v)) sets.Union(id(v), self);
    }
    for (int i = 0; i < node->num_outputs(); ++i) {
      if (IsHandle(node->output(i))) sets.Union(self, id(node->output(i)));
    }
    if (auto it = partners.find(PartnerOf(node->device()));
        it != partners.end() && it->second != SIZE_MAX) {
      sets.Union(values + it->second, self);
    }
    if (!node->op().handle) continue;
    std::string name = TextAttr(*node, "shared_name");
    if (name.empty()) continue;
    auto key = std::make_pair(TextAttr(*node, "container"), std::move(name));
    auto [it, first] = shared.emplace(std::move(key), self);
    if (!first) sets.Union(it->second, self);
  }
  std::vector<std::vector<Node*>> groups;
  std::vector<int> group_of(values + flow.nodes().size(), -1);
  for (size_t n = 0; n < flow.nodes().size(); ++n) {
    if (!Computes(*flow.nodes()[n])) continue;
    int& group = group_of[sets.Find(values + n)];
    if (group < 0) {
      group = static_cast<int>(groups.size());
      groups.emplace_back();
    }
    groups[static_cast<size_t>(group)].push_back(flow.nodes()[n]);
  }
  return groups;
}

}  // namespace sluice
