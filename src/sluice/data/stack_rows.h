// Stacks elements along a new axis 0. A component of the batch is on the device
// of that component of the first element.
#pragma once

#include <functional>

#include "sluice/data/element.h"

namespace sluice::data {

// `number` gives the number of element i for messages. Errors: elements that
// differ in components, types or shapes, with both shapes; tensors that are
// part of a graph. REQUIRES: at least one element.
Result<Element> StackRows(const std::vector<Element>& elements,
                          const std::function<int64_t(size_t)>& number);

// The same for different sizes: smaller tensors are padded at their ends.
// `padding` has a value for each component, or is empty (0).
Result<Element> PadRows(const std::vector<Element>& elements,
                        const std::vector<double>& padding,
                        const std::function<int64_t(size_t)>& number);

}  // namespace sluice::data
