#include "sluice/nn/reshape.h"

#include <algorithm>

#include "sluice/front/index.h"
#include "sluice/ops.h"

namespace sluice::nn {

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
    if (s.number >= 0 || !s.of) {
      parts.push_back(Array::Vector<int64_t>({s.number}));
    } else {
      parts.push_back(
          shape(s.of, {}, where).at({slice(s.axis, s.axis + 1)}, where));
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
