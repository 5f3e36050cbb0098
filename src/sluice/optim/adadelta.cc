#include "sluice/optim/adadelta.h"

#include "sluice/optim/decay.h"
#include "sluice/optim/refuse.h"

namespace sluice::optim {

void AdadeltaOptions::Check() const {
  CheckOption("Adadelta", "rho", rho, 0, 1);
  CheckOption("Adadelta", "eps", eps);
  CheckOption("Adadelta", "weight_decay", weight_decay);
}

void Adadelta::Update(Param& p, const Tensor& grad) {
  const AdadeltaOptions& o = options(p);
  Tensor g = WithDecay(p, grad, o.weight_decay);
  Tensor squares =
      p.set("square_avg", Average(p.slot("square_avg"), g * g, o.rho));
  Tensor before = p.slot("acc_delta");
  Tensor d = sqrt((before + o.eps) / (squares + o.eps)) * g;
  p.set("acc_delta", Average(before, d * d, o.rho));
  p.subtract(p.lr() * d);
}

}  // namespace sluice::optim
