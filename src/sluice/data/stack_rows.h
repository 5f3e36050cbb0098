// Elements put together to one, a new axis 0 counting them. A component of the
// batch lies where that of the first element does.
#pragma once

#include <functional>

#include "sluice/data/element.h"

namespace sluice::data {

// `number` says what element i is called in messages. Errors: elements that
// differ in their components, types or shapes, with both shapes; tensors that
// are part of a graph. REQUIRES: one element at least.
Result<Element> StackRows(const std::vector<Element>& elements,
                          const std::function<int64_t(size_t)>& number);

// The same where sizes may differ: smaller ones are filled up at their ends.
// `padding` has a number for each component, or none (0).
Result<Element> PadRows(const std::vector<Element>& elements,
                        const std::vector<double>& padding,
                        const std::function<int64_t(size_t)>& number);

}  // namespace sluice::data
