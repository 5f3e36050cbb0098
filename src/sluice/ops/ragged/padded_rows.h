// Ragged rows and padded rows hold the same elements: shared by the two ops
// that convert between them.
#pragma once

#include "sluice/ops/ragged/splits.h"
#include "sluice/tensor/dispatch.h"

namespace sluice::ragged {

inline int64_t LongestRow(std::span<const int64_t> splits) {
  int64_t longest = 0;
  for (size_t r = 0; r + 1 < splits.size(); ++r) {
    longest = std::max(longest, splits[r + 1] - splits[r]);
  }
  return longest;
}

// Error unless no row of checked splits, input `input`, is longer than `width`.
template <class Context>
Status CheckWidth(const Context& c, std::span<const int64_t> splits,
                  int64_t width) {
  for (size_t r = 0; r + 1 < splits.size(); ++r) {
    int64_t length = splits[r + 1] - splits[r];
    if (length <= width) continue;
    return c.Error(StrCat("row ", r, " has ", length,
                          " values; wanted at most ", width,
                          ", the width of a padded row"));
  }
  return OkStatus();
}

// Calls run.operator()<T>() with a type of the element's size, or string.
template <class F>
void ForElementsOf(DType dtype, F&& run) {
  if (!DispatchBySize(dtype, run)) run.template operator()<std::string>();
}

}  // namespace sluice::ragged
