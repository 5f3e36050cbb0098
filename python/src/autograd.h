// Gradients of imperative programs as Python sees them: the gradient side of
// Tensor, and the modes of a thread.
#pragma once

#include "common.h"

namespace sluice::py {

// None for a Tensor that holds nothing.
nb::object OrNone(Tensor tensor);
// A Tensor that holds nothing for None. Throws TypeError for what is no tensor;
// `what` names it.
Tensor TensorOrNone(nb::handle object, std::string_view what);

// Checks that a gradient has the type and shape of its value. Throws
// ValueError; `what` begins the message.
void CheckGradient(const Tensor& gradient, const Tensor& value,
                   std::string_view what);

void BindTensorGrad(nb::module_& m);  // requires_grad, backward, hooks, ...
void BindGradFn(nb::module_& m);      // Tensor.grad_fn

}  // namespace sluice::py
