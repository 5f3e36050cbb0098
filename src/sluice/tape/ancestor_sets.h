// Sets of those ancestors of a node that not all nodes wait for: asynchronous
// operations, sides of predicates, frames. Nodes with equal sets may share an
// island.
//
// Lives while islands are chosen; used by one thread.
#pragma once

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "sluice/graph/node.h"

namespace sluice {

// Each distinct set is stored once. Nodes carry its number; 0 is the empty set.
// Graphs have few distinct sets, so unions are mostly lookups.
class AncestorSets {
 public:
  AncestorSets() { Intern({}); }

  int Union(int a, int b) {
    if (a == b || b == 0) return a;
    if (a == 0) return b;
    auto key = std::minmax(a, b);
    auto it = unions_.find(key);
    if (it != unions_.end()) return it->second;
    std::vector<int> merged;
    const auto &x = sets_[static_cast<size_t>(a)],
               &y = sets_[static_cast<size_t>(b)];
    std::set_union(x.begin(), x.end(), y.begin(), y.end(),
                   std::back_inserter(merged));
    return unions_[key] = Intern(std::move(merged));
  }
  int With(int set, int element) {
    auto key = std::pair(set, element);
    auto it = withs_.find(key);
    if (it != withs_.end()) return it->second;
    std::vector<int> more = sets_[static_cast<size_t>(set)];
    auto at = std::lower_bound(more.begin(), more.end(), element);
    if (at == more.end() || *at != element) more.insert(at, element);
    return withs_[key] = Intern(std::move(more));
  }

 private:
  int Intern(std::vector<int> set) {
    auto [it, fresh] = ids_.emplace(set, static_cast<int>(sets_.size()));
    if (fresh) sets_.push_back(std::move(set));
    return it->second;
  }
  std::vector<std::vector<int>> sets_;
  std::map<std::vector<int>, int> ids_;
  std::map<std::pair<int, int>, int> unions_, withs_;
};

// Numbers for the possible elements of a set.
class AncestorElements {
 public:
  int Async(int position) { return Number(0, nullptr, position); }
  int Side(const Value& pred, int side) {
    return Number(1, pred.node, pred.index * 2 + side);
  }
  // The element for a Merge whose inputs have these sets: it is alive if any of
  // its inputs is.
  int Merged(std::vector<int> ways) {
    std::sort(ways.begin(), ways.end());
    auto [it, fresh] =
        merges_.emplace(std::move(ways), static_cast<int>(merges_.size()));
    return Number(3, nullptr, it->second);
  }
  int Frame(const std::string& name) {
    auto [it, fresh] = frames_.emplace(name, static_cast<int>(frames_.size()));
    return Number(2, nullptr, it->second);
  }

 private:
  int Number(int kind, const Node* node, int i) {
    auto key = std::tuple(kind, node, i);
    return ids_.emplace(key, static_cast<int>(ids_.size())).first->second;
  }
  std::map<std::tuple<int, const Node*, int>, int> ids_;
  std::map<std::string, int> frames_;
  std::map<std::vector<int>, int> merges_;
};

}  // namespace sluice
