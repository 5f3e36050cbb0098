#include "sluice/optim/lion.h"

#include "sluice/optim/decay.h"
#include "sluice/optim/refuse.h"

namespace sluice::optim {

void LionOptions::Check() const {
  CheckOption("Lion", "beta1", beta1, 0, 1);
  CheckOption("Lion", "beta2", beta2, 0, 1);
  CheckOption("Lion", "weight_decay", weight_decay);
}

void Lion::Update(Param& p, const Tensor& grad) {
  const LionOptions& o = options(p);
  Tensor mean = p.slot("exp_avg");
  Tensor direction = sign(Average(mean, grad, o.beta1));
  p.set("exp_avg", Average(mean, grad, o.beta2));
  p.subtract(p.lr() * WithDecay(p, direction, o.weight_decay));
}

}  // namespace sluice::optim
