#include "sluice/autodiff/loop_carries.h"

#include <algorithm>

#include "sluice/autodiff/flow_back.h"
#include "sluice/graph/traverse.h"

namespace sluice {

std::vector<int> ActiveCarries(Region& body, std::span<const Value> dy) {
  std::unordered_set<int> active;
  for (size_t i = 0; i < dy.size(); ++i) {
    if (dy[i]) active.insert(static_cast<int>(i));
  }
  for (size_t before = 0; before != active.size();) {
    before = active.size();
    std::vector<Value> open;
    std::unordered_set<Value, ValueHash> seen;
    auto reach = [&](const Value& v) {
      if (CarriesGradient(v) && body.Encloses(v.node->region()) &&
          seen.insert(v).second) {
        open.push_back(v);
      }
    };
    for (int i : active) reach(body.results()[static_cast<size_t>(i)]);
    while (!open.empty()) {
      Value v = open.back();
      open.pop_back();
      if (v.node == body.args_node()) {
        active.insert(v.index);
        continue;
      }
      for (const Value& in : InputsWithCaptures(*v.node)) reach(in);
    }
  }
  std::vector<int> sorted(active.begin(), active.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

std::vector<bool> NeededCarries(Node& loop) {
  Region& body = *loop.regions()[1];
  std::vector<bool> needed(static_cast<size_t>(loop.num_inputs()));
  std::vector<Value> open;
  std::unordered_set<Value, ValueHash> seen;
  auto reach = [&](const Value& v) {
    if (body.Encloses(v.node->region()) && seen.insert(v).second) {
      open.push_back(v);
    }
  };
  auto use = [&](const Value& v) {
    if (v.node == &loop) reach(body.results()[static_cast<size_t>(v.index)]);
  };
  for (int i = 0; i < loop.num_inputs(); ++i) {
    for (const Node* user : loop.input(i).node->users()) {
      auto in = user->inputs();
      if (user == &loop ||
          std::find(in.begin(), in.end(), loop.input(i)) == in.end()) {
        continue;
      }
      needed[static_cast<size_t>(i)] = true;
      reach(body.results()[static_cast<size_t>(i)]);
    }
  }
  for (const Node* user : loop.users()) {
    for (const Value& v : user->inputs()) use(v);
  }
  for (const Region* r = loop.region(); r; r = r->parent()) {
    for (const Value& v : r->results()) use(v);
  }
  while (!open.empty()) {
    Value v = open.back();
    open.pop_back();
    if (v.node == body.args_node()) {
      needed[static_cast<size_t>(v.index)] = true;
      reach(body.results()[static_cast<size_t>(v.index)]);
      continue;
    }
    for (const Value& in : InputsWithCaptures(*v.node)) reach(in);
  }
  return needed;
}

std::vector<Value> WantedCaptures(
    const Node& loop, const std::unordered_set<Value, ValueHash>& wanted) {
  std::vector<Value> captures, reads = InputsWithCaptures(loop);
  for (size_t i = static_cast<size_t>(loop.num_inputs()); i < reads.size();
       ++i) {
    bool known =
        std::find(captures.begin(), captures.end(), reads[i]) != captures.end();
    if (!known && wanted.count(reads[i])) captures.push_back(reads[i]);
  }
  return captures;
}

}  // namespace sluice
