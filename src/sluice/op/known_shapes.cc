#include "sluice/op/known_shapes.h"

namespace sluice {

std::unique_ptr<KnownShapes> KnownShapes::Of(
    const OpRecord& op, const Attrs& attrs, std::span<const DType> in_dtypes,
    std::span<const PartialShape> in, std::span<const DType> out_dtypes) {
  auto known = std::make_unique<KnownShapes>();
  for (const PartialShape& shape : in) {
    if (!shape.fully_known()) return nullptr;
    known->in_.push_back(shape.ToShape());
  }
  std::vector<PartialShape> out(out_dtypes.size());
  ShapeContext context(op, attrs, in_dtypes, in, {}, out_dtypes, out);
  if (!op.shape(context).ok() || context.missed_value()) return nullptr;
  for (const PartialShape& shape : out) {
    if (!shape.fully_known()) return nullptr;
    known->out_.push_back(shape.ToShape());
  }
  return known;
}

bool KnownShapes::Fits(std::span<const Array> inputs) const {
  if (inputs.size() != in_.size()) return false;
  for (size_t i = 0; i < in_.size(); ++i) {
    if (!(inputs[i].shape() == in_[i])) return false;
  }
  return true;
}

}  // namespace sluice
