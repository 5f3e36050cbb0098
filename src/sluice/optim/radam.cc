#include "sluice/optim/radam.h"

#include "sluice/optim/decay.h"
#include "sluice/optim/refuse.h"

namespace sluice::optim {

void RAdamOptions::Check() const {
  CheckKept("RAdam", "beta1", beta1);
  CheckKept("RAdam", "beta2", beta2);
  CheckOption("RAdam", "eps", eps);
  CheckOption("RAdam", "weight_decay", weight_decay);
}

void RAdam::Begin(GroupStep& step) {
  const RAdamOptions& o = options(step.group());
  const Tensor& t = step.count();
  double most = 2 / (1 - o.beta2) - 1;
  Tensor kept = pow(o.beta2, t), fresh = 1 - kept;
  Tensor rho = most - 2 * t * kept / fresh;
  // Where rho is smaller the other way is taken; the root is of 5 there.
  Tensor enough = maximum(rho, 5.0);
  Tensor share = (enough - 4) * (enough - 2) / enough;
  // That many there never are where beta2 is small.
  double whole = most > 5 ? (most - 4) * (most - 2) / most : 1;
  step.set("adaptive", cast(rho > 5.0, DType::kF64));
  step.set("root", sqrt(share * fresh / whole));
  step.set("step_size", step.lr() / (1 - pow(o.beta1, t)));
  step.set("decay", step.lr() * o.weight_decay);
}

void RAdam::Update(Param& p, const Tensor& grad) {
  const RAdamOptions& o = options(p);
  double coupled = o.decoupled_weight_decay ? 0 : o.weight_decay;
  Tensor g = WithDecay(p, grad, coupled);
  Tensor mean = p.set("exp_avg", Average(p.slot("exp_avg"), g, o.beta1));
  Tensor squares =
      p.set("exp_avg_sq", Average(p.slot("exp_avg_sq"), g * g, o.beta2));
  Tensor adaptive = p.scalar("adaptive") > 0;
  // 1 and 1 where the squares do not count.
  Tensor size = where(adaptive, sqrt(squares) + o.eps, 1.0);
  Tensor scale = where(adaptive, p.scalar("root"), 1.0);
  Tensor change = p.scalar("step_size") * scale * mean / size;
  if (coupled != o.weight_decay) {
    change = mul_add(p.value(), p.scalar("decay"), change);
  }
  p.subtract(change);
}

}  // namespace sluice::optim
