#include "sluice/optim/rprop.h"

#include "sluice/optim/decay.h"
#include "sluice/optim/refuse.h"

namespace sluice::optim {

void RpropOptions::Check() const {
  if (!(eta_minus > 0 && eta_minus < 1 && eta_plus > 1) ||
      !std::isfinite(eta_plus)) {
    Refuse(StrCat("Rprop: etas are ", eta_minus, " and ", eta_plus,
                  "; wanted one in (0, 1) and one above 1"));
  }
  CheckOption("Rprop", "step_min", step_min);
  CheckOption("Rprop", "step_max", step_max, step_min);
}

void Rprop::Update(Param& p, const Tensor& grad) {
  const RpropOptions& o = options(p);
  // The rate of the first step is not known when slots are made: none is -1.
  SlotOptions unknown{.initial = -1};
  Tensor turn = sign(grad * p.slot("prev")),
         size = p.slot("step_size", unknown);
  size = where(size < 0.0, p.lr(), size);
  Tensor turned = turn < 0.0;
  size = where(turn > 0.0, size * o.eta_plus,
               where(turned, size * o.eta_minus, size));
  size = p.set("step_size", clip(size, o.step_min, o.step_max), unknown);
  Tensor g = p.set("prev", where(turned, 0.0, grad));
  p.subtract(sign(g) * size);
}

}  // namespace sluice::optim
