#include "sluice/optim/ema.h"

#include "sluice/eager/grad_mode.h"
#include "sluice/eager/operators.h"
#include "sluice/eager/scope.h"
#include "sluice/graph/node.h"
#include "sluice/ops.h"
#include "sluice/optim/param.h"
#include "sluice/optim/refuse.h"

namespace sluice::optim {

namespace {

Tensor Now(Array value) {
  return Tensor(MakeRef<EagerValue>(std::move(value)));
}

Tensor As(const Tensor& x, DType dtype) {
  return x.dtype() == dtype ? x : cast(x, dtype);
}

// What a variable of a graph is before the first step.
Tensor InitialValue(const Variable& v) {
  Operation assign = v.initializer();
  return Tensor(assign.graph(), assign.node().input(1));
}

// A copy that nobody else writes, made now.
Tensor Copy(const Tensor& x, DType dtype) {
  ImperativeScope now;
  NoGrad off;
  return As(Now(ValueOrThrow(x.array().Clone())), dtype);
}

}  // namespace

Ema::Ema(const Parameters& parameters, const EmaOptions& options)
    : options_(options) {
  CheckOption("Ema", "decay", options.decay, 0, 1);
  if (parameters.empty()) Refuse("Ema: no parameters");
  for (const auto& [name, v] : parameters.entries()) {
    names_.push_back(name.empty() ? StrCat(names_.size()) : name);
    if (!kFloats.contains(v.dtype())) {
      Refuse(StrCat("Ema: parameter \"", names_.back(), "\" is ",
                    TypeText(v.dtype(), v.shape()), "; wanted floats"));
    }
    parameters_.push_back(v);
    // Of 16 bits the small changes would be lost.
    DType dtype = ComputeType(v.dtype());
    means_.push_back(v.symbolic() ? variable(As(InitialValue(v), dtype),
                                             names_.back() + "/ema")
                                  : Variable(Copy(v.tensor(), dtype)));
  }
  updates_ = parameters_[0].symbolic()
                 ? variable(int64_t{0}, "ema/updates")
                 : Variable(Now(Array::Scalar<int64_t>(0)));
}

Operation Ema::update() {
  NoGrad off;
  std::vector<Operation> changes;
  auto note = [&](Operation change) {
    if (change) changes.push_back(change);
  };
  Tensor fresh;
  if (options_.ramp) {
    Tensor n = cast(updates_.read(), DType::kF64);
    fresh = 1 - minimum((1 + n) / (10 + n), options_.decay);
  }
  note(updates_.assign_add(1));
  for (size_t i = 0; i < means_.size(); ++i) {
    DType dtype = means_[i].dtype();
    Tensor mean = means_[i].read(), now = As(parameters_[i].read(), dtype);
    note(means_[i].assign(fresh.defined()
                              ? lerp(mean, now, As(fresh, dtype))
                              : lerp(mean, now, 1 - options_.decay)));
  }
  if (changes.empty()) return {};
  ControlScope after(changes);
  return no_op();
}

Ema::Use::Use(Ema& ema) : ema_(ema) {
  NoGrad off;
  for (const Variable& p : ema.parameters_) {
    saved_.push_back(Copy(p.tensor(), p.dtype()));
  }
  for (size_t i = 0; i < saved_.size(); ++i) {
    const Variable& p = ema.parameters_[i];
    p.assign(As(ema.means_[i].read(), p.dtype()));
  }
}

Ema::Use::~Use() {
  NoGrad off;
  for (size_t i = 0; i < saved_.size(); ++i) {
    ema_.parameters_[i].assign(saved_[i]);
  }
}

StateDict Ema::state_dict() const {
  StateDict state;
  for (size_t i = 0; i < means_.size(); ++i) {
    state.set(names_[i] + ".ema", means_[i].value());
  }
  state.set("updates", updates_.value());
  return state;
}

void Ema::load_state_dict(const StateDict& state) {
  std::vector<std::pair<Variable, Tensor>> loads;
  auto take = [&](const std::string& key, const Variable& to) {
    const Tensor& from = state.at(key);
    if (from.dtype() != to.dtype() || !(from.shape() == to.shape())) {
      Refuse(StrCat("Ema: ", key, " is ", TypeText(from.dtype(), from.shape()),
                    "; wanted ", TypeText(to.dtype(), to.shape())));
    }
    loads.emplace_back(to, from);
  };
  for (size_t i = 0; i < means_.size(); ++i)
    take(names_[i] + ".ema", means_[i]);
  take("updates", updates_);
  if (state.size() != loads.size()) {
    Refuse(StrCat("Ema: the state has ", state.size(), " entries; wanted ",
                  loads.size()));
  }
  for (auto& [to, from] : loads) to.assign(from);
}

}  // namespace sluice::optim
