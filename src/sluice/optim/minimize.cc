// Optimizers in graphs.
#include <algorithm>

#include "sluice/eager/call.h"
#include "sluice/eager/grad_mode.h"
#include "sluice/eager/scope.h"
#include "sluice/front/autograd.h"
#include "sluice/graph/graph.h"
#include "sluice/op/attr.h"
#include "sluice/ops.h"
#include "sluice/optim/optimizer.h"
#include "sluice/optim/refuse.h"

namespace sluice::optim {

namespace {

const Attrs kNoAttrs;

// "adam", or "adam_2" when there are two in the graph already.
std::string FreeScope(Graph& graph, std::string name) {
  for (char& c : name) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  std::erase_if(name, [](char c) { return !std::isalnum(c); });
  const std::string& around = front_internal::Building::Current().scope;
  std::string prefix = around.empty() ? name : StrCat(around, "/", name);
  MutexLock lock(graph.mu());
  for (int i = 0;; ++i) {
    std::string end = i == 0 ? "" : StrCat("_", i);
    if (!graph.FindNode(StrCat(prefix, end, "/step"))) return name + end;
  }
}

}  // namespace

std::vector<GradAndVariable> Optimizer::compute_gradients(
    const Tensor& loss, const std::vector<Variable>& variables, Where where) {
  if (!loss.defined())
    Refuse(StrCat(name_, ": the loss holds nothing"), &where);
  std::vector<Variable> wanted = variables;
  if (wanted.empty()) {
    for (size_t i = 0; i < groups_.size(); ++i) {
      for (const Variable& v : parameters(i)) wanted.push_back(v);
    }
  }
  if (wanted.empty() && loss.symbolic()) {
    wanted = variables_behind(loss);
    std::erase_if(
        wanted, [](const Variable& v) { return !kFloats.contains(v.dtype()); });
  }
  // Variables that were named must have one.
  GradOptions how{.none_when_unconnected = variables.empty()};
  std::vector<Tensor> grads;
  if (!wanted.empty()) grads = gradients({loss}, wanted, how, where);
  std::vector<GradAndVariable> result;
  for (size_t i = 0; i < grads.size(); ++i) {
    if (grads[i].defined()) result.push_back({grads[i], wanted[i]});
  }
  if (result.empty()) {
    Refuse(StrCat(name_, ": ", loss.symbolic() ? loss.name() : "the loss",
                  " depends on no variable of floats, or not in a way that "
                  "has a gradient"),
           &where);
  }
  return result;
}

Operation Optimizer::minimize(const Tensor& loss, Where where) {
  return apply_gradients(compute_gradients(loss, {}, where), where);
}

Operation Optimizer::minimize(const Tensor& loss,
                              const std::vector<Variable>& variables,
                              Where where) {
  if (variables.empty()) {
    Refuse(StrCat(name_, ": minimize of no variables"), &where);
  }
  return apply_gradients(compute_gradients(loss, variables, where), where);
}

Operation Optimizer::apply_gradients(
    const std::vector<GradAndVariable>& gradients, Where where) {
  Graph* graph = nullptr;
  bool any = false;
  for (const auto& [grad, variable] : gradients) {
    if (!variable.defined()) {
      Refuse(StrCat(name_, ": a Variable that holds nothing"), &where);
    }
    if (variable.symbolic()) graph = &variable.handle().graph();
    any = any || grad.defined();
  }
  if (!any) Refuse(StrCat(name_, ": no gradients to apply"), &where);
  for (const auto& [grad, variable] : gradients) {
    if (Find(variable)) continue;
    Admit(groups_[0],
          {variable.symbolic() ? variable.name() : std::string(), variable},
          where);
  }
  std::vector<std::vector<Tensor>> grads;
  for (const Group& group : groups_) grads.emplace_back(group.params.size());
  for (const auto& [grad, variable] : gradients) {
    Known known = *Find(variable);
    Tensor& place = grads[known.group][known.index];
    if (place.defined()) {
      Refuse(StrCat(name_, ": two gradients for variable \"",
                    groups_[known.group].params[known.index].name, "\""),
             &where);
    }
    place = grad;
  }

  for (size_t i = 0; i < groups_.size(); ++i) {
    CheckGradients(i, grads[i], where);
  }
  NoGrad off;
  std::optional<GraphScope> building;
  std::optional<NameScope> named;
  if (graph) {
    if (!front_internal::Building::Current().graph) building.emplace(*graph);
    if (scope_.empty()) scope_ = FreeScope(*graph, name_);
    named.emplace(scope_);
  }
  std::vector<Operation> changes;
  for (size_t i = 0; i < groups_.size(); ++i) {
    bool any = std::any_of(grads[i].begin(), grads[i].end(),
                           [](const Tensor& g) { return g.defined(); });
    if (!any) continue;
    Advance(i, changes);
    UpdateGroup(i, grads[i], changes);
  }
  if (!graph) return {};
  ControlScope after(changes);
  return front_internal::AddNode({.op = "NoOp",
                                  .attrs = &kNoAttrs,
                                  .hint = "apply",
                                  .line = SourceLine::From(where)});
}

}  // namespace sluice::optim
