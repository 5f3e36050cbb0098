#include "sluice/nn/reshape.h"

#include <algorithm>

#include "sluice/eager/index.h"
#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"
#include "sluice/graph/role_of.h"
#include "sluice/ops.h"

namespace sluice::nn {

namespace {

// The pieces a shape was put together from below, one size each; none when it
// was made otherwise.
bool MadeOfSizes(const Value& shape, int axis) {
  if (RoleOf(shape) != Role::kConcat) return false;
  if (axis >= shape.node->num_inputs()) return false;
  for (const Value& piece : shape.node->inputs()) {
    if (!(piece.shape() == PartialShape({1}))) return false;
  }
  const Array* fixed = ConstantValue(shape.node->input(axis));
  return !fixed || *fixed->data<int64_t>() >= 0;
}

// The size of an axis, as a vector of one. Looked for where it comes from:
// shapes that are taken from shapes all the way through a deep model would
// become known one after the other only.
Tensor SizeAt(const Tensor& x, int axis, std::source_location where) {
  Value at = x.value();
  for (;;) {
    const OpRecord& op = at.node->op();
    // What may be written over input 0 is as large as that.
    bool keeps = op.block ? at.node->num_inputs() == 1 : op.cpu().in_place;
    if (keeps && at.index == 0) {
      at = at.node->input(0);
      continue;
    }
    if (op.role == Role::kReshape && MadeOfSizes(at.node->input(1), axis)) {
      return Tensor(x.graph(), at.node->input(1).node->input(axis));
    }
    break;
  }
  Tensor sizes = shape(Tensor(x.graph(), at), {}, where);
  return sizes.at({slice(axis, axis + 1)}, where);
}

}  // namespace

SizeOf::SizeOf(const Tensor& of, int axis) : of(of), axis(axis) {
  if (axis < 0) this->axis += of.rank();
  number = std::max<int64_t>(-1, of.dim(axis));
}

Tensor Reshaped(const Tensor& x, const std::vector<SizeOf>& sizes,
                std::source_location where) {
  std::vector<int64_t> numbers;
  for (const SizeOf& s : sizes) numbers.push_back(s.number);
  // One unknown size is worked out from the others, unless there may be no
  // elements at all.
  if (std::count(numbers.begin(), numbers.end(), -1) < 2 &&
      std::count(numbers.begin(), numbers.end(), 0) == 0) {
    return reshape(x, Ints(numbers), {}, where);
  }
  std::vector<Operand> parts;
  for (const SizeOf& s : sizes) {
    if (s.number >= 0 || !s.of.defined()) {
      parts.push_back(Array::Vector<int64_t>({s.number}));
    } else {
      parts.push_back(SizeAt(s.of, s.axis, where));
    }
  }
  Tensor wanted = concat(parts, {}, {}, where);
  return reshape(x, wanted, {}, where);
}

int64_t ProductOf(const Tensor& x, int begin, int end) {
  int64_t product = 1;
  for (int i = begin; i < end; ++i) {
    if (x.dim(i) < 0) return -1;
    product *= x.dim(i);
  }
  return product;
}

}  // namespace sluice::nn
