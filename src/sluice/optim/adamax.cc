#include "sluice/optim/adamax.h"

#include "sluice/optim/decay.h"
#include "sluice/optim/refuse.h"

namespace sluice::optim {

void AdamaxOptions::Check() const {
  CheckKept("Adamax", "beta1", beta1);
  CheckKept("Adamax", "beta2", beta2);
  CheckOption("Adamax", "eps", eps);
  CheckOption("Adamax", "weight_decay", weight_decay);
}

void Adamax::Begin(GroupStep& step) {
  const AdamaxOptions& o = options(step.group());
  step.set("step_size", step.lr() / (1 - pow(o.beta1, step.count())));
}

void Adamax::Update(Param& p, const Tensor& grad) {
  const AdamaxOptions& o = options(p);
  Tensor g = WithDecay(p, grad, o.weight_decay);
  Tensor mean = p.set("exp_avg", Average(p.slot("exp_avg"), g, o.beta1));
  Tensor largest =
      p.set("exp_inf", maximum(p.slot("exp_inf") * o.beta2, abs(g) + o.eps));
  p.subtract(p.scalar("step_size") * mean / largest);
}

}  // namespace sluice::optim
