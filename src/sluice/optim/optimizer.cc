#include "sluice/optim/optimizer.h"

#include "sluice/front/capture.h"
#include "sluice/front/grad_mode.h"
#include "sluice/front/operators.h"
#include "sluice/front/scope.h"
#include "sluice/ops.h"
#include "sluice/optim/refuse.h"

namespace sluice::optim {

Optimizer::~Optimizer() = default;

bool Optimizer::symbolic() const {
  for (const Group& group : groups_) {
    if (!group.params.empty()) return group.params[0].variable.symbolic();
  }
  return false;
}

size_t Optimizer::NumParameters() const {
  size_t count = 0;
  for (const Group& group : groups_) count += group.params.size();
  return count;
}

std::optional<Optimizer::Known> Optimizer::Find(const Variable& v) const {
  for (size_t g = 0; g < groups_.size(); ++g) {
    for (size_t i = 0; i < groups_[g].params.size(); ++i) {
      const Variable& own = groups_[g].params[i].variable;
      if (own.symbolic() != v.symbolic()) continue;
      bool same = v.symbolic()
                      ? own.handle().operation() == v.handle().operation()
                      : own.tensor().eager() == v.tensor().eager();
      if (same) return Known{g, i};
    }
  }
  return std::nullopt;
}

void Optimizer::Admit(Group& group, const Parameters::Entry& entry,
                      const Where& where) {
  const Variable& v = entry.variable;
  std::string name = entry.name.empty() ? StrCat(NumParameters()) : entry.name;
  auto refuse = [&](const std::string& why) {
    Refuse(StrCat(name_, ": parameter \"", name, "\" ", why), &where);
  };
  if (!kFloats.contains(v.dtype())) {
    refuse(StrCat("is ", TypeText(v.dtype(), v.shape()), "; wanted floats"));
  }
  if (!v.symbolic() && !v.tensor().is_leaf()) {
    refuse(StrCat("is ", v.tensor().eager()->Describe(),
                  ", by a call that is recorded for gradients; wanted a leaf"));
  }
  if (NumParameters() > 0 && v.symbolic() != symbolic()) {
    refuse(v.symbolic() ? "is part of a graph; wanted an imperative one, as "
                          "the others are"
                        : "is imperative; wanted one of the graph, as the "
                          "others are");
  }
  if (auto known = Find(v)) {
    refuse(StrCat("is the same as parameter \"",
                  groups_[known->group].params[known->index].name, "\""));
  }
  for (const Group& other : groups_) {
    for (const ParamState& p : other.params) {
      if (p.name == name) refuse("has the name of another one");
    }
  }
  group.params.push_back({name, v});
}

size_t Optimizer::AddGroup(double lr, Where where) {
  if (!(lr >= 0) || !std::isfinite(lr)) {
    Refuse(
        StrCat(name_, ": lr is ", lr, "; wanted a finite number, at least 0"),
        &where);
  }
  groups_.emplace_back();
  groups_.back().first_lr = lr;
  return groups_.size() - 1;
}

size_t Optimizer::AddGroup(const Parameters& parameters, double lr,
                           Where where) {
  if (parameters.empty()) Refuse(StrCat(name_, ": no parameters"), &where);
  size_t index = AddGroup(lr, where);
  try {
    for (const auto& entry : parameters.entries()) {
      Admit(groups_[index], entry, where);
    }
  } catch (...) {
    groups_.pop_back();
    throw;
  }
  if (!symbolic()) MakeNumbers(index, false);
  return index;
}

void Optimizer::MakeNumbers(size_t index, bool symbolic) {
  Group& group = groups_[index];
  if (group.lr) return;
  std::string suffix = index > 0 ? StrCat("_", index) : "";
  if (symbolic) {
    group.lr = variable(group.first_lr, StrCat("lr", suffix));
    group.step = variable(int64_t{0}, StrCat("step", suffix));
    return;
  }
  auto now = [&](Array value, std::string_view name) {
    Tensor t(MakeRef<EagerValue>(std::move(value)));
    t.set_name(StrCat(name, suffix));
    return Variable(t);
  };
  group.lr = now(Array::Scalar(group.first_lr), "lr");
  group.step = now(Array::Scalar(int64_t{0}), "step");
}

const Optimizer::Group& Optimizer::At(size_t group) const {
  if (group < groups_.size()) return groups_[group];
  Refuse(StrCat(name_, ": no group ", group, "; there are ", groups_.size()));
}

std::vector<Variable> Optimizer::parameters(size_t group) const {
  std::vector<Variable> all;
  for (const ParamState& p : At(group).params) all.push_back(p.variable);
  return all;
}

double Optimizer::lr(size_t group) const {
  const Group& g = At(group);
  return g.lr && !g.lr.symbolic() ? g.lr.tensor().item<double>() : g.first_lr;
}

void Optimizer::set_lr(double lr) {
  for (size_t i = 0; i < groups_.size(); ++i) set_lr(i, lr);
}

void Optimizer::set_lr(size_t group, double lr) {
  CheckOption(name_, "lr", lr);
  if (At(group).lr.symbolic()) {
    Refuse(StrCat(name_,
                  ": lr is part of a graph; wanted an assignment to "
                  "lr_variable() that a session runs, or follow()"));
  }
  if (Capture::Current()) {
    Refuse(StrCat(name_,
                  ": lr would be set only when the function is "
                  "recorded; wanted it outside of it, or follow()"));
  }
  groups_[group].first_lr = lr;
  if (At(group).lr) At(group).lr.assign(lr);
}

const Variable& Optimizer::lr_variable(size_t group) const {
  return At(group).lr;
}

const Variable& Optimizer::step_variable(size_t group) const {
  return At(group).step;
}

void Optimizer::follow(const Curve& curve) {
  for (size_t i = 0; i < groups_.size(); ++i) {
    groups_[i].base_lr = lr(i);
    groups_[i].curve = curve;
  }
}

void Optimizer::zero_grad() {
  for (const Group& group : groups_) {
    for (const ParamState& p : group.params) p.variable.tensor().zero_grad();
  }
}

void Optimizer::step(Where where) {
  if (NumParameters() == 0) {
    Refuse(StrCat(name_, ": step() without parameters"), &where);
  }
  if (symbolic()) {
    Refuse(StrCat(name_, ": step() on variables of a graph; wanted minimize()"),
           &where);
  }
  NoGrad off;
  std::vector<Operation> changes;
  for (size_t i = 0; i < groups_.size(); ++i) {
    std::vector<Tensor> grads;
    for (const ParamState& p : groups_[i].params) {
      grads.push_back(p.variable.tensor().grad());
    }
    StepGroup(i, grads, changes);
  }
}

void Optimizer::StepGroup(size_t index, const std::vector<Tensor>& grads,
                          std::vector<Operation>& changes) {
  Group& group = groups_[index];
  bool any = false;
  for (const Tensor& g : grads) any = any || g;
  if (!any) return;
  MakeNumbers(index, group.params[0].variable.symbolic());
  auto note = [&](Operation change) {
    if (change) changes.push_back(change);
  };
  // Not the variable itself, which is about to change.
  Tensor before = cast(group.step.read(), DType::kF64);
  note(group.step.assign_add(1));
  Tensor lr;
  if (group.curve) {
    lr = group.curve->at(group.base_lr, before);
    note(group.lr.assign(lr));
  } else {
    lr = group.lr.read();
  }
  GroupStep step(index, lr, before + 1);
  Begin(step);
  for (size_t i = 0; i < grads.size(); ++i) {
    if (grads[i]) UpdateOne(group.params[i], step, grads[i], changes);
  }
}

void Optimizer::UpdateOne(ParamState& state, GroupStep& step,
                          const Tensor& grad, std::vector<Operation>& changes) {
  const Variable& v = state.variable;
  if (grad.dtype() != v.dtype() || !grad.shape().CompatibleWith(v.shape())) {
    Refuse(StrCat(name_, ": the gradient of parameter \"", state.name, "\" is ",
                  TypeText(grad.dtype(), grad.shape()), "; wanted ",
                  TypeText(v.dtype(), v.shape())));
  }
  DType dtype = ComputeType(v.dtype());
  Tensor g = grad, rows;
  if (g.is_sparse() && !RowWise()) g = g.to_dense();
  if (g.is_sparse()) {
    if (!Linear(step.group()) || dtype != v.dtype()) g = g.coalesce();
    rows = g.indices();
    g = g.values();
  }
  Param p(state, step, rows, changes);
  Update(p, g.dtype() == dtype ? g : cast(g, dtype));
}

}  // namespace sluice::optim
