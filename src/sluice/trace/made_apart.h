// Which values of a recording share no call in their histories: a backward run
// from one uses up nothing that the other depends on.
//
// Plain functions, of values of one recording.
#pragma once

#include <utility>
#include <vector>

#include "sluice/eager/eager_value.h"

namespace sluice::front_internal {

// By pair of `count` indices; `values` holds the values at some of them. Empty
// if no two are independent, or if there are too many to trace each back to its
// beginning.
std::vector<std::vector<bool>> MadeApart(
    size_t count, const std::vector<std::pair<size_t, EagerRef>>& values);

}  // namespace sluice::front_internal
