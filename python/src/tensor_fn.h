// Python functions of tensors in the form of the C++ library: a list of tensors
// in, a list out. The package flattens and rebuilds trees.
#pragma once

#include "callback.h"
#include "common.h"
#include "sluice/front/autograd.h"

namespace sluice::py {

// The tensors of a Python iterable; an empty one for None. A variable
// represents the value that gradients are taken with respect to. `what` names
// the list in messages.
std::vector<Tensor> TensorList(nb::handle list, std::string_view what);
nb::list ListOf(const std::vector<Tensor>& tensors);

// f(list of tensors) -> iterable of tensors.
TensorFn TensorFnOf(nb::handle f, std::string_view what);

}  // namespace sluice::py
