// Attributes of slices under batching: every lane is included.
#pragma once

#include <limits>

#include "sluice/op/batch_rules.h"

namespace sluice::slice_batch {

// begin, end and strides with one more entry for the lanes.
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

// The axis shifted by one; an axis counted from the end is unchanged.
inline Attrs next_axis(const BatchContext& b) {
  Attrs attrs = b.attrs();
  int64_t axis = b.attr<int64_t>("axis");
  attrs.set("axis", axis < 0 ? axis : axis + 1);
  return attrs;
}

}  // namespace sluice::slice_batch
