#include "sluice/optim/schedule.h"

#include "sluice/optim/refuse.h"

namespace sluice::optim {

namespace {

Tensor Now(Array value) {
  return Tensor(MakeRef<EagerValue>(std::move(value)));
}

}  // namespace

Schedule::Schedule(Optimizer& optimizer, Curve curve)
    : optimizer_(optimizer), curve_(std::move(curve)) {
  for (size_t i = 0; i < optimizer.num_groups(); ++i) {
    base_lrs_.push_back(optimizer.lr(i));
  }
  Set();
}

void Schedule::Set() {
  for (size_t i = 0; i < base_lrs_.size(); ++i) {
    optimizer_.set_lr(i, curve_.at(base_lrs_[i], static_cast<double>(steps_)));
  }
}

void Schedule::step() {
  ++steps_;
  Set();
}

Tensor Schedule::at(const Tensor& step, size_t group) const {
  if (group >= base_lrs_.size()) {
    Refuse(
        StrCat("Schedule: no group ", group, "; there are ", base_lrs_.size()));
  }
  return curve_.at(base_lrs_[group], step);
}

StateDict Schedule::state_dict() const {
  return {{"steps", Now(Array::Scalar(steps_))},
          {"base_lrs",
           Now(Array::Of<double>({static_cast<int64_t>(base_lrs_.size())},
                                 std::span<const double>(base_lrs_)))}};
}

void Schedule::load_state_dict(const StateDict& state) {
  auto steps = state.at("steps").item<int64_t>();
  auto base_lrs = state.at("base_lrs").to_vector<double>();
  if (base_lrs.size() != base_lrs_.size()) {
    Refuse(StrCat("Schedule: base_lrs has ", base_lrs.size(),
                  " numbers; wanted one for each of ", base_lrs_.size(),
                  " groups"));
  }
  steps_ = steps;
  base_lrs_ = base_lrs;
  Set();
}

LambdaLR::LambdaLR(Optimizer& optimizer, std::function<double(int64_t)> factor)
    : Schedule(optimizer, Curve([f = std::move(factor)](double base, double t) {
                 return base * f(static_cast<int64_t>(t));
               })) {}

}  // namespace sluice::optim
