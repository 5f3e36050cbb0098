// Attributes of slices under batching: lanes are taken whole.
#pragma once

#include <limits>

#include "sluice/op/batch_rules.h"

namespace sluice::slice_batch {

// Of begin, end and strides, one more for the lanes.
inline Attrs all_lanes(const BatchContext& b) {
  using batch_rules::Ints;
  using batch_rules::prepended;
  Attrs attrs = b.attrs();
  attrs.set("begin", prepended(0, b.attr<Ints>("begin")));
  attrs.set("end", prepended(std::numeric_limits<int64_t>::max(),
                             b.attr<Ints>("end")));
  attrs.set("strides", prepended(1, b.attr<Ints>("strides")));
  return attrs;
}

// Of an axis; one counted from the end stays where it is.
inline Attrs next_axis(const BatchContext& b) {
  Attrs attrs = b.attrs();
  int64_t axis = b.attr<int64_t>("axis");
  attrs.set("axis", axis < 0 ? axis : axis + 1);
  return attrs;
}

}  // namespace sluice::slice_batch
