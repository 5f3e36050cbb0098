#include "sluice/optim/nadam.h"

#include "sluice/optim/decay.h"
#include "sluice/optim/refuse.h"

namespace sluice::optim {

void NAdamOptions::Check() const {
  CheckKept("NAdam", "beta1", beta1);
  CheckKept("NAdam", "beta2", beta2);
  CheckOption("NAdam", "eps", eps);
  CheckOption("NAdam", "weight_decay", weight_decay);
  CheckOption("NAdam", "momentum_decay", momentum_decay);
}

void NAdam::Begin(GroupStep& step) {
  const NAdamOptions& o = options(step.group());
  const Tensor& t = step.count();
  auto mu = [&](const Tensor& at) {
    return o.beta1 * (1 - 0.5 * pow(0.96, at * o.momentum_decay));
  };
  step.set("mu", mu(t));
  step.set("mu_next", mu(t + 1));
  step.set("root", rsqrt(1 - pow(o.beta2, t)));
  step.set("decay", step.lr() * o.weight_decay);
}

void NAdam::Update(Param& p, const Tensor& grad) {
  const NAdamOptions& o = options(p);
  double coupled = o.decoupled_weight_decay ? 0 : o.weight_decay;
  Tensor g = WithDecay(p, grad, coupled);
  PartialShape scalar = PartialShape::Scalar();
  SlotOptions product{.initial = 1, .shape = &scalar};
  Tensor mu = p.scalar("mu"), next = p.scalar("mu_next");
  Tensor so_far =
      p.set("mu_product", p.slot("mu_product", product) * mu, product);
  Tensor mean = p.set("exp_avg", Average(p.slot("exp_avg"), g, o.beta1));
  Tensor squares =
      p.set("exp_avg_sq", Average(p.slot("exp_avg_sq"), g * g, o.beta2));
  Tensor ahead =
      mul_add(g, (1 - mu) / (1 - so_far), mean * (next / (1 - so_far * next)));
  Tensor size = mul_add(sqrt(squares), p.scalar("root"), o.eps);
  Tensor change = p.lr() * ahead / size;
  if (coupled != o.weight_decay) {
    change = mul_add(p.value(), p.scalar("decay"), change);
  }
  p.subtract(change);
}

}  // namespace sluice::optim
