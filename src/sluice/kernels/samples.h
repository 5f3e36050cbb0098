// Sample and reject lists shared by many op records. Plain functions.
#pragma once

#include <string_view>
#include <vector>

#include "sluice/op/sample.h"

namespace sluice {

// For y = f(x): vectors, a matrix, a scalar, long and zero-size inputs, and
// (unless the op takes no floats) infinities, NaN and signed zeros.
std::vector<Sample> UnarySamples(double lo = -2, double hi = 2,
                                 bool specials = true);
// No input; an input of a type that no arithmetic op supports.
std::vector<Reject> UnaryRejects(std::string_view op);

// For y = f(a, b): equal shapes, broadcasting both ways, scalars, zero sizes.
std::vector<Sample> BinarySamples(double lo = -2, double hi = 2,
                                  bool specials = true);
// Shapes that do not broadcast, one input, two types.
std::vector<Reject> BinaryRejects(std::string_view op,
                                  DType dtype = DType::kF32);

// For reductions with attributes "axes" and "keep_dims".
std::vector<Sample> ReduceSamples(bool zero_sizes);
std::vector<Reject> ReduceRejects(std::string_view op,
                                  DType dtype = DType::kF32);

}  // namespace sluice
