// One step of an optimizer.
#include <algorithm>

#include "sluice/eager/grad_mode.h"
#include "sluice/eager/scope.h"
#include "sluice/front/beside.h"
#include "sluice/front/function.h"
#include "sluice/ops.h"
#include "sluice/optim/optimizer.h"
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

bool Small(const ParamState& p) {
  return p.variable.tensor().array().num_elements() <= kSmall;
}

bool AnyOf(const std::vector<Tensor>& grads) {
  return std::any_of(grads.begin(), grads.end(),
                     [](const Tensor& g) { return g.defined(); });
}

}  // namespace

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
    grads.push_back(Gradients(i, /*small_only=*/false));
    CheckGradients(i, grads[i], where);
  }
  for (size_t i = 0; i < groups_.size(); ++i) {
    if (AnyOf(grads[i])) Advance(i, changes);
  }
  bool imperative = !front_internal::Building::Current().graph &&
                    !front_internal::EagerMode::Current().nan_trap;
  if (imperative && Recordable() && recorded_ < kMaxRecorded) {
    bool any = false;
    for (size_t i = 0; i < groups_.size(); ++i) {
      for (size_t k = 0; k < grads[i].size(); ++k) {
        if (!grads[i][k].defined() || !Small(groups_[i].params[k])) continue;
        grads[i][k] = {};
        any = true;
      }
    }
    if (any) RunPlan();
  }
  for (size_t i = 0; i < groups_.size(); ++i) {
    UpdateGroup(i, grads[i], changes);
  }
}

void Optimizer::CheckGradients(size_t group, const std::vector<Tensor>& grads,
                               const Where& where) const {
  for (size_t i = 0; i < grads.size(); ++i) {
    const Tensor& g = grads[i];
    const ParamState& p = groups_[group].params[i];
    const Variable& v = p.variable;
    if (!g.defined() ||
        (g.dtype() == v.dtype() && g.shape().CompatibleWith(v.shape()))) {
      continue;
    }
    Refuse(StrCat(name_, ": the gradient of parameter \"", p.name, "\" is ",
                  TypeText(g.dtype(), g.shape()), "; wanted ",
                  TypeText(v.dtype(), v.shape())),
           &where);
  }
}

std::vector<Tensor> Optimizer::Gradients(size_t group, bool small_only) const {
  std::vector<Tensor> grads;
  grads.reserve(groups_[group].params.size());
  for (const ParamState& p : groups_[group].params) {
    bool wanted = !small_only || Small(p);
    grads.push_back(wanted ? p.variable.tensor().grad() : Tensor());
  }
  return grads;
}

void Optimizer::RunPlan() {
  if (!plan_) {
    plan_ = function([this] {
      ++recorded_;
      std::vector<Operation> changes;
      for (size_t i = 0; i < groups_.size(); ++i) {
        UpdateGroup(i, Gradients(i, /*small_only=*/true), changes);
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
    if (grads[i].defined()) UpdateOne(group.params[i], step, grads[i], changes);
  }
}

void Optimizer::UpdateOne(ParamState& state, GroupStep& step,
                          const Tensor& grad, std::vector<Operation>& changes) {
  const Variable& v = state.variable;
  // Updates and slots are where the variable is: gradients travel, state stays.
  Beside there(v.handle());
  DType dtype = ComputeType(v.dtype());
  Tensor g = grad, rows;
  if (g.is_sparse() && !RowWise()) g = g.to_dense();
  if (g.is_sparse()) {
    if (!Linear(step.group()) || dtype != v.dtype()) g = g.coalesce();
    rows = g.indices();
    g = g.values();
  }
  if (g.dtype() != dtype) g = cast(g, dtype);
  if (Maximizes(step.group())) g = neg(g);
  Param p(state, step, rows, changes);
  Update(p, g);
}

}  // namespace sluice::optim
