#include "sluice/optim/adagrad.h"

#include "sluice/optim/decay.h"
#include "sluice/optim/refuse.h"

namespace sluice::optim {

void AdagradOptions::Check() const {
  CheckOption("Adagrad", "lr_decay", lr_decay);
  CheckOption("Adagrad", "weight_decay", weight_decay);
  CheckOption("Adagrad", "initial_accumulator_value",
              initial_accumulator_value);
  CheckOption("Adagrad", "eps", eps);
}

void Adagrad::Begin(GroupStep& step) {
  double decay = options(step.group()).lr_decay;
  step.set("rate", decay == 0 ? step.lr()
                              : step.lr() / (1 + decay * (step.count() - 1)));
}

void Adagrad::Update(Param& p, const Tensor& grad) {
  const AdagradOptions& o = options(p);
  SlotOptions start{.initial = o.initial_accumulator_value};
  Tensor g = WithDecay(p, grad, o.weight_decay);
  Tensor sum = p.set("sum", mul_add(g, g, p.slot("sum", start)), start);
  p.subtract(p.scalar("rate") * g / (sqrt(sum) + o.eps));
}

}  // namespace sluice::optim
