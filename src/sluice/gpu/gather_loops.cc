#include "sluice/gpu/gather_loops.h"

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>

#include "sluice/base/strings.h"
#include "sluice/gpu/fused_source.h"
#include "sluice/graph/graph.h"

namespace sluice {

namespace {

// Longer loops fill the GPU by themselves, and their operands would have to be
// kept longer.
constexpr int64_t kMostElements = int64_t{1} << 18;

bool Short(const FusionGroup& group) {
  return !group.node && group.loop.space.num_elements() <= kMostElements;
}

// What a loop computes, independent of its shape: loops with the same text
// usually have the same source.
std::string WhatItDoes(const FusedNodes& loop) {
  std::unordered_map<const Node*, size_t> own;
  std::string text;
  for (const Node* node : loop.nodes) {
    StrAppend(text, node->op().name, " ",
              DTypeName(node->output_type(0).dtype));
    for (const auto& [name, value] : node->attrs()) {
      StrAppend(text, " ", name, "=", value.ToString());
    }
    for (const Value& v : node->inputs()) {
      auto there = own.find(v.node);
      const Array* constant = ConstantValue(v);
      if (there != own.end()) {
        StrAppend(text, " %", there->second);
      } else if (constant && constant->num_elements() == 1) {
        StrAppend(text, " ", GpuLiteral(*constant));
      } else {
        bool one = v.shape().ToShape().num_elements() == 1;
        StrAppend(text, one ? " one " : " ", DTypeName(v.dtype()));
      }
    }
    text += ";";
    own.emplace(node, own.size());
  }
  return text;
}

// The independent parts of a loop.
std::vector<FusedNodes> PartsOf(const FusedNodes& loop) {
  std::unordered_map<const Node*, size_t> at;
  std::vector<size_t> root(loop.nodes.size());
  auto find = [&](size_t i) {
    while (root[i] != i) i = root[i] = root[root[i]];
    return i;
  };
  for (size_t i = 0; i < loop.nodes.size(); ++i) {
    root[i] = i;
    for (const Value& v : loop.nodes[i]->inputs()) {
      auto there = at.find(v.node);
      if (there == at.end()) continue;
      size_t a = find(there->second), b = find(i);
      root[std::max(a, b)] = std::min(a, b);
    }
    at.emplace(loop.nodes[i], i);
  }
  std::map<size_t, FusedNodes> parts;
  for (size_t i = 0; i < loop.nodes.size(); ++i) {
    FusedNodes& part = parts[find(i)];
    part.space = loop.space;
    part.nodes.push_back(loop.nodes[i]);
  }
  std::vector<FusedNodes> all;
  for (auto& [first, part] : parts) all.push_back(std::move(part));
  return all;
}

class Gatherer {
 public:
  explicit Gatherer(std::vector<FusionGroup> groups) {
    Cut(std::move(groups));
    FindEdges();
    for (size_t g = 0; g < groups_.size(); ++g) order_.push_back(g);
    set_.assign(groups_.size(), 0);
  }

  GatheredGroups Run() {
    std::map<std::string, std::vector<size_t>> alike;
    for (size_t g = 0; g < groups_.size(); ++g) {
      if (!does_[g].empty()) alike[does_[g]].push_back(g);
    }
    for (auto& [does, members] : alike) {
      while (members.size() > 1) Gather(members);
    }
    GatheredGroups gathered;
    for (size_t g : order_) {
      gathered.groups.push_back(std::move(groups_[g]));
      gathered.set.push_back(set_[g]);
    }
    return gathered;
  }

 private:
  // Splits loops where their parts can be gathered: otherwise a part would cost
  // another launch.
  void Cut(std::vector<FusionGroup> groups) {
    struct Part {
      FusedNodes nodes;
      std::string does;
    };
    std::vector<std::vector<Part>> parts(groups.size());
    std::map<std::string, std::pair<size_t, bool>>
        seen;  // by position; others elsewhere
    for (size_t g = 0; g < groups.size(); ++g) {
      if (!Short(groups[g])) continue;
      for (FusedNodes& nodes : PartsOf(groups[g].loop)) {
        std::string does = WhatItDoes(nodes);
        auto [it, fresh] = seen.emplace(does, std::pair(g, false));
        it->second.second |= it->second.first != g;
        parts[g].push_back({std::move(nodes), std::move(does)});
      }
    }
    for (size_t g = 0; g < groups.size(); ++g) {
      FusionGroup rest;
      rest.loop.space = groups[g].loop.space;
      size_t cut = 0;
      for (Part& part : parts[g]) {
        if (!seen[part.does].second) continue;
        FusionGroup one;
        one.loop = std::move(part.nodes);
        Add(std::move(one), std::move(part.does));
        ++cut;
      }
      if (cut == 0) {
        Add(std::move(groups[g]), "");
      } else if (cut < parts[g].size()) {
        // In their original order.
        std::unordered_map<const Node*, bool> left;
        for (Part& part : parts[g]) {
          for (const Node* node : part.nodes.nodes) left[node] = true;
        }
        for (Node* node : groups[g].loop.nodes) {
          if (left.count(node)) rest.loop.nodes.push_back(node);
        }
        Add(std::move(rest), "");
      }
    }
  }

  void Add(FusionGroup group, std::string does) {
    groups_.push_back(std::move(group));
    does_.push_back(std::move(does));
  }

  void FindEdges() {
    std::unordered_map<const Node*, size_t> maker;
    auto nodes_of = [](const FusionGroup& group) {
      std::vector<Node*> nodes = group.loop.nodes;
      if (group.node) nodes.push_back(group.node);
      return nodes;
    };
    for (size_t g = 0; g < groups_.size(); ++g) {
      for (const Node* node : nodes_of(groups_[g])) maker[node] = g;
    }
    before_.resize(groups_.size());
    behind_.resize(groups_.size());
    for (size_t g = 0; g < groups_.size(); ++g) {
      auto edge = [&](const Node* from) {
        auto it = maker.find(from);
        if (it == maker.end() || it->second == g) return;
        before_[g].push_back(it->second);
        behind_[it->second].push_back(g);
      };
      for (const Node* node : nodes_of(groups_[g])) {
        for (const Value& v : node->inputs()) edge(v.node);
        for (const Node* control : node->controls()) edge(control);
      }
    }
  }

  // Moves the members together that can run before the first user of any of
  // them, and drops the moved ones from `members`.
  void Gather(std::vector<size_t>& members) {
    std::vector<size_t> place(order_.size());
    for (size_t i = 0; i < order_.size(); ++i) place[order_[i]] = i;
    auto earliest = [&](size_t g) {
      size_t at = 0;
      for (size_t b : before_[g]) at = std::max(at, place[b] + 1);
      return at;
    };
    auto latest = [&](size_t g) {
      size_t at = order_.size();
      for (size_t b : behind_[g]) at = std::min(at, place[b]);
      return at;
    };
    size_t here = order_.size();
    for (size_t g : members) here = std::min(here, latest(g));
    std::vector<size_t> taken, left;
    for (size_t g : members) {
      (earliest(g) <= here ? taken : left).push_back(g);
    }
    members = std::move(left);
    if (taken.size() < 2) return;
    ++sets_;
    std::sort(taken.begin(), taken.end(),
              [&](size_t a, size_t b) { return place[a] < place[b]; });
    for (size_t g : taken) set_[g] = sets_;
    std::vector<size_t> order;
    for (size_t i = 0; i <= order_.size(); ++i) {
      if (i == here) order.insert(order.end(), taken.begin(), taken.end());
      if (i < order_.size() && set_[order_[i]] != sets_) {
        order.push_back(order_[i]);
      }
    }
    order_ = std::move(order);
  }

  std::vector<FusionGroup> groups_;
  std::vector<std::string> does_;  // empty: not movable
  std::vector<std::vector<size_t>> before_, behind_;
  std::vector<size_t> order_;
  std::vector<int> set_;
  int sets_ = 0;
};

}  // namespace

GatheredGroups GatherLoops(std::vector<FusionGroup> groups) {
  return Gatherer(std::move(groups)).Run();
}

}  // namespace sluice
