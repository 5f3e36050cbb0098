// Gradients of imperative programs in Python: the gradient part of Tensor, and
// thread-local modes.
#pragma once

#include "common.h"

namespace sluice::py {

// None for an empty Tensor.
nb::object OrNone(Tensor tensor);
// An empty Tensor for None. Throws TypeError for other objects; `what` names
// the object.
Tensor TensorOrNone(nb::handle object, std::string_view what);

// Checks that a gradient has the type and shape of its value. Throws
// ValueError; `what` starts the message.
void CheckGradient(const Tensor& gradient, const Tensor& value,
                   std::string_view what);

void BindTensorGrad(nb::module_& m);  // requires_grad, backward, hooks, ...
void BindGradFn(nb::module_& m);      // Tensor.grad_fn

}  // namespace sluice::py
