// Strings of several operands that broadcast together, element by element.
#pragma once

#include <vector>

#include "sluice/op/kernel_context.h"
#include "sluice/tensor/strided.h"

namespace sluice::string_op {

// f(i, at) for every element i of `shape` in row-major order; at[k] is the
// place of operand k's element.
template <class F>
void ForEachBroadcast(const Shape& shape, std::span<const Strides> strides,
                      const F& f) {
  std::vector<int64_t> at(strides.size(), 0);
  std::array<int64_t, kMaxRank> index{};
  for (int64_t i = 0; i < shape.num_elements(); ++i) {
    f(i, at);
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
      auto a = static_cast<size_t>(axis);
      bool again = ++index[a] == shape.dim(axis);
      if (again) index[a] = 0;
      for (size_t k = 0; k < at.size(); ++k) {
        at[k] += strides[k][a] * (again ? 1 - shape.dim(axis) : 1);
      }
      if (!again) break;
    }
  }
}

inline std::vector<Strides> StridesOf(const KernelContext& ctx) {
  std::vector<Strides> strides;
  for (int k = 0; k < ctx.num_inputs(); ++k) {
    strides.push_back(BroadcastStrides(ctx.in(k), ctx.out(0).shape()));
  }
  return strides;
}

}  // namespace sluice::string_op
