// Shapes of which some sizes are known only when a plan runs.
#pragma once

#include <source_location>
#include <span>
#include <vector>

#include "sluice/eager/tensor.h"

namespace sluice::nn {

// A list of numbers as a tensor, for ops that take shapes.
inline Array Ints(const std::vector<int64_t>& numbers) {
  return Array::Vector(std::span<const int64_t>(numbers));
}

// One size of a new shape: a number, or that of an axis of a tensor.
struct SizeOf {
  SizeOf(int64_t number) : number(number) {}
  SizeOf(const Tensor& of, int axis);

  int64_t number;  // -1: only the plan knows
  Tensor of;
  int axis = 0;
};

// x under another shape. A number of -1 is worked out.
Tensor Reshaped(const Tensor& x, const std::vector<SizeOf>& sizes,
                std::source_location where);
// The product of sizes from axis `begin` up to `end`; -1 when one is unknown.
int64_t ProductOf(const Tensor& x, int begin, int end);

}  // namespace sluice::nn
