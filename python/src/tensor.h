// The class Tensor, on which all of the package computes.
#pragma once

#include "common.h"

namespace sluice::py {

// Adds the class with its operators. Other files add methods through Methods():
// tensor_parts.cc indexing, tensor_grad.cc gradients, ...
void BindTensor(nb::module_& m);

// The class, for adding members. REQUIRES: BindTensor was called.
nb::class_<Tensor> TensorClass();

}  // namespace sluice::py
