#include "sluice/kernels/cpu/loss.h"

namespace sluice {

Status loss_shape(ShapeContext& c) {
  SL_RETURN_IF_ERROR(shapes::all_same(c));
  const std::string& reduction = c.attr<std::string>("reduction");
  // The mean per sample needs samples.
  if (reduction == "batchmean") SL_RETURN_IF_ERROR(c.WantRankAtLeast(0, 1));
  if (reduction != "none") c.set_out(0, PartialShape::Scalar());
  return OkStatus();
}

}  // namespace sluice
