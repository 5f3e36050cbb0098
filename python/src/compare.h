// Elementwise comparison of two arrays.
#pragma once

#include "common.h"
#include "sluice/tensor/array.h"

namespace sluice::py {

struct Tolerance {
  double rtol = 0, atol = 0;
  bool equal_nan = false;
};

// "" if all |a - b| <= atol + rtol |b|; else where they differ, and by how
// much.
std::string DescribeDifference(const Array& a, const Array& b,
                               const Tolerance& tolerance);

void BindCompare(nb::module_& m);  // describe_difference

}  // namespace sluice::py
