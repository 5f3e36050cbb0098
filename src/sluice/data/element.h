// Element: the unit that stages of a pipeline pass on, with one tensor per
// component, such as an image and its label.
#pragma once

#include <functional>
#include <vector>

#include "sluice/data/random.h"
#include "sluice/eager/tensor.h"

namespace sluice::data {

using Element = std::vector<Tensor>;

// The function of a map stage; Random is for functions that take one.
using ElementFn = std::function<Element(const Element&, Random&)>;
using ElementTest = std::function<bool(const Element&)>;
// Produces elements until it returns false.
using ElementSource = std::function<bool(Element*)>;

// Makes an imperative tensor from the array.
Tensor TensorOf(Array array);

// "f32[1,28,28], i64[]": for messages.
std::string TypesOf(const Element& element);

}  // namespace sluice::data
