#include "sluice/trace/graph_reach.h"

#include <algorithm>

#include "sluice/graph/traverse.h"
#include "sluice/op/carries_gradient.h"
#include "sluice/tensor/array.h"
#include "sluice/trace/custom_rule.h"

namespace sluice {

namespace {

using Truth = GraphReach::Truth;
using Sources = GraphReach::Sources;
using front_internal::NumDifferentiated;

// Whether the conditions can be read outside the node's regions.
bool SeenBeside(const Truth& truth, const Node& node) {
  for (const Value& v : truth.any) {
    if (!v.node->region()->Encloses(node.region())) return false;
  }
  return true;
}

}  // namespace

void GraphReach::Or(Truth& into, const Truth& more) {
  into.always = into.always || more.always;
  for (const Value& v : more.any) {
    if (std::find(into.any.begin(), into.any.end(), v) == into.any.end()) {
      into.any.push_back(v);
    }
  }
  if (into.always) into.any.clear();
}

void GraphReach::Or(Sources& into, const Sources& more) {
  for (const auto& [id, truth] : more) Or(into[id], truth);
}

Truth GraphReach::Find(const Sources& sources, int id) {
  auto it = sources.find(id);
  return it == sources.end() ? Truth() : it->second;
}

GraphReach::GraphReach(Graph& graph, std::span<const Value> sources, bool tells)
    : graph_(graph), tells_(tells), next_id_(static_cast<int>(sources.size())) {
  for (size_t i = 0; i < sources.size(); ++i) {
    known_[sources[i]][static_cast<int>(i)] = {.always = true};
  }
}

void GraphReach::AddFlow(const Value& flow, const Truth& when) {
  flows_ = true;
  if (!when.never() && !when.always) {
    // As a source it exists in no other runs.
    for (auto& [id, truth] : known_[flow]) truth = when;
  }
  Or(known_[flow][kFlow], when.never() ? Truth{.always = true} : when);
}

Result<Sources> GraphReach::Of(const Value& value) {
  SL_RETURN_IF_ERROR(Ensure(value));
  auto it = known_.find(value);
  return it == known_.end() ? Sources() : it->second;
}

// Without recursion: a chain of a million calls would overflow the stack.
Status GraphReach::Ensure(const Value& value) {
  std::vector<Node*> open;
  auto want = [&](const Value& v) {
    if (!known_.contains(v) && !v.node->is_args() && !done_.contains(v.node)) {
      open.push_back(v.node);
    }
  };
  want(value);
  while (!open.empty()) {
    Node* node = open.back();
    if (entered_.insert(node).second) {
      for (const Value& in : InputsWithCaptures(*node)) want(in);
      if (open.back() != node) continue;
    }
    open.pop_back();
    if (done_.insert(node).second) SL_RETURN_IF_ERROR(Eval(*node));
  }
  return OkStatus();
}

Sources GraphReach::Read(const std::vector<Value>& values) const {
  Sources all;
  for (const Value& v : values) {
    auto it = known_.find(v);
    if (it != known_.end()) Or(all, it->second);
  }
  return all;
}

Result<Truth> GraphReach::And(const Truth& a, const Truth& b, Region& region) {
  if (a.never() || b.always) return a;
  if (b.never() || a.always) return b;
  if (a == b) return a;
  SL_ASSIGN_OR_RETURN(Value one, AnyOf(a.any, region));
  SL_ASSIGN_OR_RETURN(Value other, AnyOf(b.any, region));
  SL_ASSIGN_OR_RETURN(Value both, Call("LogicalAnd", one, other, region));
  return Truth{.any = {both}};
}

Result<Sources> GraphReach::ReadIfFlowing(const std::vector<Value>& values,
                                          Region& region) {
  Truth flow;
  std::vector<Value> flowing, beside;
  for (const Value& v : values) {
    auto it = known_.find(v);
    if (it == known_.end()) continue;
    auto its = it->second.find(kFlow);
    (its == it->second.end() ? beside : flowing).push_back(v);
    if (its != it->second.end()) Or(flow, its->second);
  }
  Sources all = Read(beside);
  if (!flowing.empty() && !flow.always) {
    for (auto& [id, truth] : all) {
      SL_ASSIGN_OR_RETURN(truth, And(truth, flow, region));
    }
  }
  Or(all, Read(flowing));
  return all;
}

Status GraphReach::Eval(Node& node) {
  const OpRecord& op = node.op();
  if (op.flow == Flow::kBranch) return EvalBranch(node);
  if (op.flow == Flow::kLoop) return EvalLoop(node);
  std::vector<Value> read;
  if (op.flow != Flow::kNone || !node.regions().empty()) {
    read = InputsWithCaptures(node);
  } else if (op.grad) {
    for (const Value& in : node.inputs().first(NumDifferentiated(node))) {
      if (CarriesGradient(in.dtype())) read.push_back(in);
    }
  }
  Sources all = Read(read);
  if (flows_ && all.count(kFlow) > 0) {
    const size_t before = node.region()->nodes().size();
    SL_ASSIGN_OR_RETURN(all, ReadIfFlowing(read, *node.region()));
    // Loops below use the conditions of their inputs as initial values.
    PutAbove(node, before);
  }
  if (all.empty()) return OkStatus();
  for (int i = 0; i < node.num_outputs(); ++i) {
    bool plain = op.flow == Flow::kNone;
    if (plain && !CarriesGradient(node.output_type(i).dtype)) continue;
    known_.try_emplace(node.output(i), all);
  }
  return OkStatus();
}

Result<Value> GraphReach::Call(std::string_view op, const Value& a,
                               const Value& b, Region& region) {
  Value in[] = {a, b};
  NodeOptions options;
  options.scope = "gradients";
  if (region.owner()) options.device = region.owner()->device();
  SL_ASSIGN_OR_RETURN(Node * node, graph_.Add(region, op, in, {}, options));
  return node->output();
}

Result<Value> GraphReach::Known(bool truth, Region& region) {
  NodeOptions options;
  options.scope = "gradients";
  if (region.owner()) options.device = region.owner()->device();
  SL_ASSIGN_OR_RETURN(
      Node * node,
      graph_.Add(region, "Const", {}, {{"value", Array::Scalar<bool>(truth)}},
                 options));
  return node->output();
}

Result<Value> GraphReach::AnyOf(const std::vector<Value>& any, Region& region) {
  Value all = any[0];
  for (size_t i = 1; i < any.size(); ++i) {
    SL_ASSIGN_OR_RETURN(all, Call("LogicalOr", all, any[i], region));
  }
  return all;
}

Result<Value> GraphReach::AsValue(const Truth& truth, Region& region) {
  if (truth.any.empty()) return Known(truth.always, region);
  return AnyOf(truth.any, region);
}

Result<std::vector<Sources>> GraphReach::Results(const Region& region) {
  const std::vector<Value> results(region.results().begin(),
                                   region.results().end());
  std::vector<Sources> found;
  for (const Value& v : results) {
    found.emplace_back();
    if (!CarriesGradient(v.dtype())) continue;
    SL_ASSIGN_OR_RETURN(found.back(), Of(v));
  }
  return found;
}

Status GraphReach::EvalBranch(Node& node) {
  std::vector<std::vector<Sources>> branches;
  for (const auto& region : node.regions()) {
    SL_ASSIGN_OR_RETURN(std::vector<Sources> found, Results(*region));
    branches.push_back(std::move(found));
  }
  const int outputs = node.num_outputs();
  std::vector<std::vector<Truth>> said;  // each becomes one more result
  for (int k = 0; k < outputs; ++k) {
    auto at = static_cast<size_t>(k);
    Sources all;
    for (const auto& branch : branches) Or(all, branch[at]);
    for (auto& [id, truth] : all) {
      std::vector<Truth> by_branch;
      for (const auto& branch : branches) {
        by_branch.push_back(Find(branch[at], id));
      }
      bool alike =
          std::all_of(by_branch.begin(), by_branch.end(),
                      [&](const Truth& t) { return t == by_branch[0]; });
      if (alike && SeenBeside(by_branch[0], node)) {
        truth = by_branch[0];
        continue;
      }
      if (!tells_) {
        truth = {.always = true};
        continue;
      }
      auto known = std::find(said.begin(), said.end(), by_branch);
      auto number = static_cast<int>(known - said.begin());
      if (known == said.end()) said.push_back(std::move(by_branch));
      truth = {.any = {node.output(outputs + number)}};
    }
    known_.try_emplace(node.output(k), std::move(all));
  }
  if (said.empty()) return OkStatus();
  for (size_t i = 0; i < branches.size(); ++i) {
    Region& region = *node.regions()[i];
    std::vector<Value> results(region.results().begin(),
                               region.results().end());
    for (const std::vector<Truth>& by_branch : said) {
      SL_ASSIGN_OR_RETURN(Value told, AsValue(by_branch[i], region));
      results.push_back(told);
    }
    graph_.SetResults(region, std::move(results));
  }
  std::vector<ValueType> types;
  std::vector<DType> dtypes;
  for (int k = 0; k < outputs; ++k) types.push_back(node.output_type(k));
  types.resize(types.size() + said.size(), ValueType{DType::kBool, Shape()});
  for (const ValueType& type : types) dtypes.push_back(type.dtype);
  graph_.SetAttr(node, "dtypes", dtypes);
  graph_.SetOutputs(node, std::move(types));
  return OkStatus();
}

}  // namespace sluice
