#include "sluice/optim/optimizer.h"

#include "sluice/front/beside.h"
#include "sluice/optim/refuse.h"
#include "sluice/trace/capture.h"

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
  plan_ = {};
  stay_.clear();
  recorded_ = 0;
  return index;
}

void Optimizer::MakeNumbers(size_t index, bool symbolic) {
  Group& group = groups_[index];
  if (group.lr.defined()) return;
  std::string suffix = index > 0 ? StrCat("_", index) : "";
  if (symbolic) {
    Beside there(group.params[0].variable.handle());
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
  return g.lr.defined() && !g.lr.symbolic() ? g.lr.tensor().item<double>()
                                            : g.first_lr;
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
  if (At(group).lr.defined()) At(group).lr.assign(lr);
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

}  // namespace sluice::optim
