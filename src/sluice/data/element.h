// Element: what a pipeline hands from stage to stage, one tensor for each
// component: an image and its label.
#pragma once

#include <functional>
#include <vector>

#include "sluice/data/random.h"
#include "sluice/eager/tensor.h"

namespace sluice::data {

using Element = std::vector<Tensor>;

// What a map stage calls; Random is for the functions that ask for one.
using ElementFn = std::function<Element(const Element&, Random&)>;
using ElementTest = std::function<bool(const Element&)>;
// Gives elements until it returns false.
using ElementSource = std::function<bool(Element*)>;

// An imperative tensor of these elements.
Tensor TensorOf(Array array);

// "f32[1,28,28], i64[]": for messages.
std::string TypesOf(const Element& element);

}  // namespace sluice::data
