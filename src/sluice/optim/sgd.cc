#include "sluice/optim/sgd.h"

#include "sluice/optim/decay.h"
#include "sluice/optim/refuse.h"

namespace sluice::optim {

void SGDOptions::Check() const {
  CheckOption("SGD", "momentum", momentum);
  CheckOption("SGD", "dampening", dampening, -HUGE_VAL);
  CheckOption("SGD", "weight_decay", weight_decay);
  if (nesterov && (momentum == 0 || dampening != 0)) {
    Refuse(StrCat("SGD: nesterov with momentum ", momentum, " and dampening ",
                  dampening, "; wanted a momentum and no dampening"));
  }
}

bool SGD::Linear(size_t group) const {
  const SGDOptions& o = options(group);
  return o.momentum == 0 && o.weight_decay == 0;
}

void SGD::Begin(GroupStep& step) {
  const SGDOptions& o = options(step.group());
  if (o.dampening == 0) return;
  Tensor later = cast(step.count() > 1, DType::kF64);
  step.set("share", 1 - o.dampening * later);
}

void SGD::Update(Param& p, const Tensor& grad) {
  const SGDOptions& o = options(p);
  Tensor g = WithDecay(p, grad, o.weight_decay);
  if (o.momentum == 0) return p.subtract(p.lr() * g);
  Tensor more = o.dampening == 0 ? g : p.scalar("share") * g;
  Tensor b = p.set("momentum_buffer",
                   mul_add(p.slot("momentum_buffer"), o.momentum, more));
  p.subtract(p.lr() * (o.nesterov ? mul_add(b, o.momentum, g) : b));
}

}  // namespace sluice::optim
