#include "sluice/batching/lane_spread.h"

#include <algorithm>
#include <functional>

#include "sluice/batching/rule_forecast.h"

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

LaneForm LaneSpread::Form(const Value& value) const {
  auto it = known_.find(value);
  LaneForm form = it != known_.end() ? it->second.form : scope_.FormOf(value);
  int depth = it != known_.end() ? it->second.depth : 0;
  bool boxes = IsList(value) && form == LaneForm::kTogether && depth < depth_;
  return boxes ? LaneForm::kBoxed : form;
}

LaneSpread::Forms LaneSpread::Results(const Region& region, const Forms& args) {
  for (size_t i = 0; i < args.size(); ++i) {
    known_[region.arg(static_cast<int>(i))] = {args[i], depth_};
  }
  for (const Node* node : region.nodes()) Visit(*node);
  Forms results;
  for (const Value& v : region.results()) results.push_back(Form(v));
  return results;
}

bool LaneSpread::CanHave(Value list) const {
  for (auto it = given_.find(list); it != given_.end();
       it = given_.find(list)) {
    list = it->second;
  }
  return CanHaveLanes(list);
}

LaneSpread::Forms LaneSpread::ResultsOfSome(const Region& region,
                                            const Forms& args) {
  ++depth_;
  Forms results = Results(region, args);
  --depth_;
  return results;
}

LaneSpread::Loop LaneSpread::OfLoop(const Node& loop) {
  const Region &cond = *loop.regions()[0], &body = *loop.regions()[1];
  Loop found;
  for (int i = 0; i < loop.num_inputs(); ++i) {
    found.carried.push_back(Form(loop.input(i)));
    given_[body.arg(i)] = loop.input(i);
  }
  auto results = [&](const Region& region) {
    return found.stops_apart ? ResultsOfSome(region, found.carried)
                             : Results(region, found.carried);
  };
  for (bool wider = true; wider;) {
    wider = false;
    Forms next = results(body);
    for (size_t i = 0; i < next.size() && i < found.carried.size(); ++i) {
      int k = static_cast<int>(i);
      LaneForm now = found.carried[i];
      LaneForm then = BatchScope::Joined(
          {{loop.input(k), now}, {body.results()[i], next[i]}});
      if (found.stops_apart && then == LaneForm::kTogether &&
          IsList(loop.input(k))) {
        then = LaneForm::kBoxed;
      }
      if (then == now) continue;
      found.carried[i] = then;
      wider = true;
    }
    if (found.stops_apart) continue;
    Forms pred = results(cond);
    if (pred.empty() || pred[0] == LaneForm::kSingle) continue;
    found.stops_apart = wider = true;
  }
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

void LaneSpread::VisitBranch(const Node& node, Forms& outputs) {
  if (Has(node.input(0))) {
    for (const auto& region : node.regions()) ResultsOfSome(*region, {});
    for (size_t i = 0; i < outputs.size(); ++i) {
      outputs[i] = IsList({const_cast<Node*>(&node), static_cast<int>(i)})
                       ? LaneForm::kBoxed
                       : LaneForm::kTogether;
    }
    return;
  }
  std::vector<std::vector<BatchScope::Formed>> values(outputs.size());
  for (const auto& region : node.regions()) {
    Forms results = Results(*region, {});
    for (size_t i = 0; i < outputs.size() && i < results.size(); ++i) {
      values[i].push_back({region->results()[i], results[i]});
    }
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    outputs[i] = BatchScope::Joined(values[i]);
  }
}

void LaneSpread::Visit(const Node& node) {
  const OpRecord& op = node.op();
  bool any = op.random;
  for (const Value& v : node.inputs()) any = any || Has(v);
  auto output = [&](size_t i) {
    return Value{const_cast<Node*>(&node), static_cast<int>(i)};
  };
  Forms outputs(static_cast<size_t>(node.num_outputs()), LaneForm::kSingle);
  auto fill = [&](bool lanes, LaneForm of_lists) {
    for (size_t i = 0; i < outputs.size(); ++i) {
      outputs[i] = !lanes              ? LaneForm::kSingle
                   : IsList(output(i)) ? of_lists
                                       : LaneForm::kTogether;
    }
  };
  if (op.flow == Flow::kBranch) {
    VisitBranch(node, outputs);
  } else if (op.flow == Flow::kLoop) {
    Loop loop = OfLoop(node);
    outputs = loop.carried;
    if (loop.stops_apart) fill(true, LaneForm::kBoxed);
  } else if (op.flow == Flow::kCall) {
    const Node* function = node.input(0).node;
    if (!NestedLanes(node).empty()) {
      fill(OfNested(node), LaneForm::kBoxed);
    } else if (CallsItself(*function)) {
      fill(true, LaneForm::kBoxed);
    } else {
      Forms args;
      for (int i = 1; i < node.num_inputs(); ++i) {
        args.push_back(Form(node.input(i)));
        given_[function->regions()[0]->arg(i - 1)] = node.input(i);
      }
      outputs = Results(*function->regions()[0], args);
    }
  } else if (any) {
    RuleForecast rule(
        node, [&](const Value& v) { return Form(v); },
        [&](const Value& v) { return CanHave(v); });
    fill(true, LaneForm::kBoxed);
    for (size_t i = 0; rule.serves() && i < outputs.size(); ++i) {
      outputs[i] = rule.output(static_cast<int>(i));
    }
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    known_[output(i)] = {outputs[i], depth_};
  }
}

const std::vector<int64_t>& NestedLanes(const Node& call) {
  return call.attrs().get<std::vector<int64_t>>("lanes");
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
