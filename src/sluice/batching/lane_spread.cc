#include "sluice/batching/lane_spread.h"

#include <algorithm>
#include <functional>

#include "sluice/batching/rules.h"

namespace sluice {

void ForEachInside(const Region& region, std::unordered_set<const Node*>& seen,
                   const std::function<void(const Node&)>& visit) {
  for (const Node* node : region.nodes()) {
    visit(*node);
    if (node->op().flow == Flow::kFunction) continue;
    const Node* owner =
        node->op().flow == Flow::kCall ? node->input(0).node : node;
    if (owner != node && !seen.insert(owner).second) continue;
    for (const auto& inner : owner->regions()) {
      ForEachInside(*inner, seen, visit);
    }
  }
}

bool LaneSpread::Has(const Value& value) const {
  auto it = known_.find(value);
  return it != known_.end() ? it->second : scope_.Batched(value);
}

std::vector<bool> LaneSpread::Results(const Region& region,
                                      const std::vector<bool>& args) {
  for (size_t i = 0; i < args.size(); ++i) {
    known_[region.arg(static_cast<int>(i))] = args[i];
  }
  for (const Node* node : region.nodes()) Visit(*node);
  std::vector<bool> results;
  for (const Value& v : region.results()) results.push_back(Has(v));
  return results;
}

LaneSpread::Loop LaneSpread::OfLoop(const Node& loop) {
  Loop found;
  for (const Value& v : loop.inputs()) found.carried.push_back(Has(v));
  for (bool wider = true; wider;) {
    wider = false;
    std::vector<bool> next = Results(*loop.regions()[1], found.carried);
    for (size_t i = 0; i < next.size() && i < found.carried.size(); ++i) {
      if (!next[i] || found.carried[i]) continue;
      found.carried[i] = wider = true;
    }
  }
  std::vector<bool> pred = Results(*loop.regions()[0], found.carried);
  found.stops_apart = !pred.empty() && pred[0];
  return found;
}

bool LaneSpread::OfNested(const Node& call) {
  const Node& function = *call.input(0).node;
  bool any = false;
  for (const Value& v : call.inputs()) any = any || Has(v);
  for (const Value& v : CapturedBy(function)) any = any || Has(v);
  std::unordered_set<const Node*> seen{&function};
  ForEachInside(*function.regions()[0], seen,
                [&](const Node& node) { any = any || node.op().random; });
  return any;
}

void LaneSpread::Visit(const Node& node) {
  const OpRecord& op = node.op();
  bool any = op.random;
  for (const Value& v : node.inputs()) any = any || Has(v);
  std::vector<bool> outputs(static_cast<size_t>(node.num_outputs()), any);
  if (op.flow == Flow::kBranch) {
    for (const auto& region : node.regions()) {
      std::vector<bool> results = Results(*region, {});
      for (size_t i = 0; i < outputs.size() && i < results.size(); ++i) {
        outputs[i] = outputs[i] || results[i];
      }
    }
  } else if (op.flow == Flow::kLoop) {
    Loop loop = OfLoop(node);
    for (size_t i = 0; i < outputs.size(); ++i) {
      outputs[i] = loop.stops_apart || loop.carried[i];
    }
  } else if (op.flow == Flow::kCall) {
    const Node* function = node.input(0).node;
    if (nested_.count(node.id())) {
      std::fill(outputs.begin(), outputs.end(), OfNested(node));
    } else if (CallsItself(*function)) {
      std::fill(outputs.begin(), outputs.end(), true);
    } else {
      std::vector<bool> args;
      for (int i = 1; i < node.num_inputs(); ++i) {
        args.push_back(Has(node.input(i)));
      }
      outputs = Results(*function->regions()[0], args);
    }
  } else if (SameForAllLanes(op)) {
    std::fill(outputs.begin(), outputs.end(), false);
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    known_[Value{const_cast<Node*>(&node), static_cast<int>(i)}] = outputs[i];
  }
}

bool CallsItself(const Node& function) {
  bool found = false;
  std::unordered_set<const Node*> seen;
  for (const auto& region : function.regions()) {
    ForEachInside(*region, seen, [&](const Node& node) {
      found = found || (node.op().flow == Flow::kCall &&
                        node.input(0).node == &function);
    });
  }
  return found;
}

std::vector<Value> CapturedBy(const Node& owner) {
  std::vector<Value> found;
  std::unordered_set<const Node*> seen{&owner};
  for (const auto& region : owner.regions()) {
    ForEachInside(*region, seen, [&](const Node& node) {
      auto note = [&](const Value& v) {
        if (v.node->op().flow == Flow::kFunction) return;
        if (!v.node->region()->Encloses(owner.region())) return;
        if (std::find(found.begin(), found.end(), v) == found.end()) {
          found.push_back(v);
        }
      };
      for (const Value& v : node.inputs()) note(v);
      for (const auto& inner : node.regions()) {
        for (const Value& v : inner->results()) note(v);
      }
      if (node.op().flow == Flow::kCall) {
        for (const auto& inner : node.input(0).node->regions()) {
          for (const Value& v : inner->results()) note(v);
        }
      }
    });
    for (const Value& v : region->results()) {
      if (v.node->region()->Encloses(owner.region()) &&
          std::find(found.begin(), found.end(), v) == found.end()) {
        found.push_back(v);
      }
    }
  }
  return found;
}

}  // namespace sluice
