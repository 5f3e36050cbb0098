// GpuCodeBuilder: additions that a product performs as it writes its result.
#include "sluice/gpu/code_builder.h"
#include "sluice/graph/graph.h"
#include "sluice/kernels/cuda/addend.h"

namespace sluice {

void GpuCodeBuilder::NumberGroups() {
  group_of_.clear();
  taken_along_.clear();
  for (size_t g = 0; g < groups_.size(); ++g) {
    for (const Node* node : groups_[g].loop.nodes) group_of_[node] = g;
    if (groups_[g].node) group_of_[groups_[g].node] = g;
  }
}

// The addition that can be merged into a product: it is the only reader of the
// product, it is a group by itself, and its other operand is available. Only
// for types in which products accumulate; for others the product is rounded
// before the addition.
std::optional<GpuCodeBuilder::Addition> GpuCodeBuilder::AdditionBehind(
    Node& product) const {
  DType dtype = product.output_type(0).dtype;
  if (!fuse_ || !SaidOfOps<TakesAddend>::Find(product.op()) ||
      product.users().size() != 1 ||
      (dtype != DType::kF32 && dtype != DType::kF64) ||
      target_.count(product.output(0))) {
    return std::nullopt;
  }
  Node* sum = product.users()[0];
  auto group = group_of_.find(sum);
  if (sum->op().role != Role::kAdd || group == group_of_.end() ||
      groups_[group->second].loop.nodes.size() != 1 ||
      target_.count(sum->output(0))) {
    return std::nullopt;
  }
  Value other =
      sum->input(0) == product.output(0) ? sum->input(1) : sum->input(0);
  Shape shape = product.output_type(0).shape.ToShape();
  if (other == product.output(0) || other.dtype() != dtype ||
      !(sum->output_type(0).shape == PartialShape(shape))) {
    return std::nullopt;
  }
  Shape added = other.shape().ToShape();
  int64_t columns = shape.dim(1);
  bool row = added.num_elements() == columns && added.rank() > 0 &&
             added.dim(added.rank() - 1) == columns;
  if (!(added == shape) && !row) return std::nullopt;
  auto known = register_.find(other);
  if (known != register_.end() ? !At(known->second).contiguous()
                               : group_of_.count(other.node) > 0) {
    return std::nullopt;
  }
  return Addition{sum, other, group->second};
}

}  // namespace sluice
