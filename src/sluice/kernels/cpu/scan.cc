#include "sluice/kernels/cpu/scan.h"

namespace sluice {

Status scan_shape(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRankAtLeast(0, 1));
  if (c.in(0).rank_known()) {
    SL_ASSIGN_OR_RETURN([[maybe_unused]] int axis,
                        c.ResolveAxis(c.attr<int64_t>("axis"), c.in(0).rank()));
  }
  return shapes::same_as_first(c);
}

int64_t scan_workspace(const ShapeContext& c) {
  AxisView v(c.in(0).ToShape(), c.attr<int64_t>("axis"));
  int64_t parts = scan::PartsOf(v.size);
  return v.inner != 1 || parts == 1 ? 0 : v.outer * parts * 8;
}

}  // namespace sluice
