// Which values of a recording have no call in common in their histories: a
// backward run from one uses up nothing that the other was made by.
//
// Plain functions, of values of one recording.
#pragma once

#include <utility>
#include <vector>

#include "sluice/eager/eager_value.h"

namespace sluice::front_internal {

// By two of `count` places, for the values at some of them. Empty where none
// are made apart, or where there are too many to follow each to its beginning.
std::vector<std::vector<bool>> MadeApart(
    size_t count, const std::vector<std::pair<size_t, EagerRef>>& values);

}  // namespace sluice::front_internal
