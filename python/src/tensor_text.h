// The text form of a tensor.
#pragma once

#include "common.h"

namespace sluice::py {

// tensor([[1., 2.],
//         [3., 4.]], dtype=float64, requires_grad=True)
// or, for a tensor of a graph, "<Tensor x: f32[?,784]>".
std::string TensorText(const Tensor& tensor);

// The elements alone, with at most this many decimals; long ones are shortened.
struct PrintOptions {
  int precision = 4;
  int64_t threshold = 1000;  // with more elements, the middle is omitted
  int64_t edge = 3;          // elements kept on each side
  int line_width = 80;
};
PrintOptions& PrintOptionsNow();

}  // namespace sluice::py
