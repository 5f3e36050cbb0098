// Shared by TakeAlong and PutAlong: indices of the same rank as x, one for each
// element, which give its position along an axis.
#pragma once

#include <algorithm>

#include "sluice/base/strings.h"
#include "sluice/base/worker_pool.h"
#include "sluice/kernels/cpu/axis_view.h"
#include "sluice/kernels/cpu/indices.h"
#include "sluice/kernels/reference.h"
#include "sluice/op/record.h"
#include "sluice/tensor/dispatch.h"

namespace sluice::along_axis {

// Checks that indices (input 1) are as x but along the axis, and returns x's
// rank-aligned shape of them.
inline Result<PartialShape> CheckShapes(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRankAtLeast(0, 1));
  const PartialShape &x = c.in(0), &indices = c.in(1);
  if (!x.rank_known()) return indices;
  SL_ASSIGN_OR_RETURN(int axis,
                      c.ResolveAxis(c.attr<int64_t>("axis"), x.rank()));
  PartialShape wanted = x;
  wanted.set_dim(axis, kUnknownDim);
  Result<PartialShape> merged = MergeShapes(wanted, indices);
  if (!merged.ok()) {
    return c.Error(StrCat(c.Describe(0), ", ", c.Describe(1),
                          "; wanted equal sizes but on axis ", axis));
  }
  return *merged;
}

}  // namespace sluice::along_axis
