// Declarations shared by the binding of optimizers.
#pragma once

#include "common.h"
#include "sluice/optim/parameters.h"

namespace sluice::py {

// A sequence of (name, tensor or variable); an empty name means none.
optim::Parameters ParametersOf(nb::handle pairs, std::string_view what);

void BindOptimizers(nb::module_& m);  // SGD, Adam, ...
void BindSchedules(nb::module_& m);   // Curve, ReduceOnPlateau
void BindClip(nb::module_& m);        // clip_grad_norm_, Ema
void BindGradScaler(nb::module_& m);

}  // namespace sluice::py
