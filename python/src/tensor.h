// The class Tensor: what every part of the package computes with.
#pragma once

#include "common.h"

namespace sluice::py {

// Adds the class with its operators. Other files add methods to it, by
// Methods(): tensor_parts.cc indexing, tensor_grad.cc gradients, ...
void BindTensor(nb::module_& m);

// The class, to add to. REQUIRES: BindTensor was called.
nb::class_<Tensor> TensorClass();

}  // namespace sluice::py
