#include "sluice/optim/asgd.h"

#include "sluice/optim/decay.h"
#include "sluice/optim/refuse.h"

namespace sluice::optim {

void ASGDOptions::Check() const {
  CheckOption("ASGD", "lambd", lambd);
  CheckOption("ASGD", "alpha", alpha, -HUGE_VAL);
  CheckOption("ASGD", "t0", t0, -HUGE_VAL);
  CheckOption("ASGD", "weight_decay", weight_decay);
}

void ASGD::Begin(GroupStep& step) {
  const ASGDOptions& o = options(step.group());
  const Tensor& t = step.count();
  step.set("eta", step.lr() / pow(1 + o.lambd * step.lr() * t, o.alpha));
  step.set("mu", 1 / maximum(t - o.t0, 1.0));
}

void ASGD::Update(Param& p, const Tensor& grad) {
  const ASGDOptions& o = options(p);
  Tensor g = WithDecay(p, grad, o.weight_decay);
  PartialShape scalar = PartialShape::Scalar();
  // The rate of the first step is not known when slots are made: none is -1.
  SlotOptions unknown{.initial = -1, .shape = &scalar};
  SlotOptions one{.initial = 1, .shape = &scalar};
  Tensor eta = p.slot("eta", unknown), mu = p.slot("mu", one);
  eta = where(eta < 0.0, p.lr(), eta);
  Tensor x = p.value();
  Tensor change = eta * mul_add(x, o.lambd, g);
  p.set("ax", lerp(p.slot("ax"), x - change, mu));
  p.set("eta", p.scalar("eta"), unknown);
  p.set("mu", p.scalar("mu"), one);
  p.subtract(change);
}

}  // namespace sluice::optim
