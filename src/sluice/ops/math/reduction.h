// The family of reductions (ops/family.h): the common parts of the records of y
// = f(x over some axes).
#pragma once

#include <vector>

#include "sluice/ops/family.h"

namespace sluice {

// The op names its types.
inline OpDefinition& Reduction(OpDefinition&& op, std::string_view) {
  return op.input("x: T")
      .output("y: T")
      .attr("axes", std::vector<int64_t>{}, "Axes to reduce; none means all.")
      .attr("keep_dims", false, "Keep reduced axes with size 1.")
      .fuse_input()
      .fuse_output();
}

}  // namespace sluice
