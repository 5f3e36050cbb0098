// Python functions of tensors as the C++ library takes them: a list of tensors
// in, a list out. The package flattens trees before and after.
#pragma once

#include "callback.h"
#include "common.h"
#include "sluice/front/autograd.h"

namespace sluice::py {

// The tensors of a Python iterable; None for one that holds nothing. Variables
// stand for what gradients with respect to them are taken of. `what` names the
// list in messages.
std::vector<Tensor> TensorList(nb::handle list, std::string_view what);
nb::list ListOf(const std::vector<Tensor>& tensors);

// f(list of tensors) -> iterable of tensors.
TensorFn TensorFnOf(nb::handle f, std::string_view what);

}  // namespace sluice::py
