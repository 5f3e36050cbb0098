#include "sluice/optim/rmsprop.h"

#include "sluice/optim/decay.h"
#include "sluice/optim/refuse.h"

namespace sluice::optim {

void RMSPropOptions::Check() const {
  CheckOption("RMSProp", "alpha", alpha, 0, 1);
  CheckOption("RMSProp", "eps", eps);
  CheckOption("RMSProp", "weight_decay", weight_decay);
  CheckOption("RMSProp", "momentum", momentum);
}

void RMSProp::Update(Param& p, const Tensor& grad) {
  const RMSPropOptions& o = options(p);
  Tensor g = WithDecay(p, grad, o.weight_decay);
  Tensor squares =
      p.set("square_avg", Average(p.slot("square_avg"), g * g, o.alpha));
  if (o.centered) {
    Tensor mean = p.set("grad_avg", Average(p.slot("grad_avg"), g, o.alpha));
    squares = squares - mean * mean;
  }
  Tensor u = g / (sqrt(squares) + o.eps);
  if (o.momentum != 0) {
    u = p.set("momentum_buffer",
              mul_add(p.slot("momentum_buffer"), o.momentum, u));
  }
  p.subtract(p.lr() * u);
}

}  // namespace sluice::optim
