#include "sluice/optim/optimizer.h"

#include <algorithm>

#include "sluice/front/capture.h"
#include "sluice/front/function.h"
#include "sluice/front/grad_mode.h"
#include "sluice/front/operators.h"
#include "sluice/front/scope.h"
#include "sluice/ops.h"
#include "sluice/optim/refuse.h"

namespace sluice::optim {

namespace {

// Up to here an update by single ops costs more for the calls than for the
// elements. A plan keeps results beside what they replace until it is done,
// which large parameters should not pay for.
constexpr int64_t kSmall = 16384;
// A plan knows which gradients there are, and which are sparse. Where that
// keeps changing, recording costs more than it saves.
constexpr int kMaxRecorded = 8;

bool AnyOf(const std::vector<Tensor>& grads) {
  return std::any_of(grads.begin(), grads.end(),
                     [](const Tensor& g) { return static_cast<bool>(g); });
}

}  // namespace

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
  plan_ = {};
  stay_.clear();
  recorded_ = 0;
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
  std::vector<std::vector<Tensor>> grads;
  for (size_t i = 0; i < groups_.size(); ++i) {
    grads.push_back(Gradients(i, Which::kAll));
    CheckGradients(i, grads[i], where);
  }
  for (size_t i = 0; i < groups_.size(); ++i) {
    if (AnyOf(grads[i])) Advance(i, changes);
  }
  bool imperative = !front_internal::Building::Current().graph &&
                    !front_internal::EagerMode::Current().nan_trap;
  bool planned = imperative && Recordable() && recorded_ < kMaxRecorded;
  if (planned) RunPlan();
  for (size_t i = 0; i < groups_.size(); ++i) {
    Which rest = planned ? Which::kLarge : Which::kAll;
    UpdateGroup(i, Gradients(i, rest), changes);
  }
}

void Optimizer::CheckGradients(size_t group, const std::vector<Tensor>& grads,
                               const Where& where) const {
  for (size_t i = 0; i < grads.size(); ++i) {
    const Tensor& g = grads[i];
    const ParamState& p = groups_[group].params[i];
    const Variable& v = p.variable;
    if (!g || (g.dtype() == v.dtype() && g.shape().CompatibleWith(v.shape()))) {
      continue;
    }
    Refuse(StrCat(name_, ": the gradient of parameter \"", p.name, "\" is ",
                  TypeText(g.dtype(), g.shape()), "; wanted ",
                  TypeText(v.dtype(), v.shape())),
           &where);
  }
}

std::vector<Tensor> Optimizer::Gradients(size_t group, Which which) const {
  std::vector<Tensor> grads;
  for (const ParamState& p : groups_[group].params) {
    const Tensor& t = p.variable.tensor();
    bool small = t.array().num_elements() <= kSmall;
    bool wanted = which == Which::kAll || small == (which == Which::kSmall);
    grads.push_back(wanted ? t.grad() : Tensor());
  }
  return grads;
}

void Optimizer::RunPlan() {
  bool any = false;
  for (size_t i = 0; i < groups_.size() && !any; ++i) {
    any = AnyOf(Gradients(i, Which::kSmall));
  }
  if (!any) return;
  if (!plan_) {
    plan_ = function([this] {
      ++recorded_;
      std::vector<Operation> changes;
      for (size_t i = 0; i < groups_.size(); ++i) {
        UpdateGroup(i, Gradients(i, Which::kSmall), changes);
      }
    });
    // As imperative writes do, a plan then writes where parameters are, because
    // somebody might look there.
    for (const Group& group : groups_) {
      for (const ParamState& p : group.params) {
        WriteLog& log = p.variable.tensor().eager()->writes();
        stay_.push_back(Ref<WriteLog>::Share(&log));
      }
    }
  }
  plan_();
}

void Optimizer::Advance(size_t index, std::vector<Operation>& changes) {
  Group& group = groups_[index];
  MakeNumbers(index, group.params[0].variable.symbolic());
  auto note = [&](Operation change) {
    if (change) changes.push_back(change);
  };
  if (group.curve) {
    note(group.lr.assign(group.curve->at(group.base_lr, group.step.read())));
  }
  note(group.step.assign_add(1));
}

void Optimizer::UpdateGroup(size_t index, const std::vector<Tensor>& grads,
                            std::vector<Operation>& changes) {
  if (!AnyOf(grads)) return;
  Group& group = groups_[index];
  GroupStep step(index, group.lr.read(), cast(group.step.read(), DType::kF64));
  Begin(step);
  for (size_t i = 0; i < grads.size(); ++i) {
    if (grads[i]) UpdateOne(group.params[i], step, grads[i], changes);
  }
}

void Optimizer::UpdateOne(ParamState& state, GroupStep& step,
                          const Tensor& grad, std::vector<Operation>& changes) {
  const Variable& v = state.variable;
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
