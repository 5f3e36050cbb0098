// value_and_grad: what a function gives, and its slope there.
//
//   auto [y, slope] = sl::value_and_grad([&](sl::Tensor z) { return f(z, a); },
//                                        z);
//
// Both may be differentiated themselves, with respect to x and to whatever else
// the function reads, imperatively, in graphs and in functions being recorded.
// So it may stand in the body of a loop that gradients go through. In code that
// records no gradients (NoGrad) they are plain numbers.
#pragma once

#include <functional>
#include <source_location>
#include <utility>
#include <vector>

#include "sluice/eager/tensor.h"

namespace sluice {

// f(x), and the gradient of its sum with respect to x: elementwise functions
// have elementwise slopes. Throws when f(x) does not depend on x.
std::pair<Tensor, Tensor> value_and_grad(
    const std::function<Tensor(const Tensor&)>& f, const Tensor& x,
    std::source_location where = std::source_location::current());
std::pair<Tensor, std::vector<Tensor>> value_and_grad(
    const std::function<Tensor(const std::vector<Tensor>&)>& f,
    const std::vector<Tensor>& xs,
    std::source_location where = std::source_location::current());

}  // namespace sluice
