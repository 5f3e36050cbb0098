// Nested lists and tuples of numbers, strings, arrays and tensors as one array.
#pragma once

#include "common.h"
#include "sluice/tensor/array.h"

namespace sluice::py {

struct NestedList {
  Tensor tensor;      // set: the list contained tensors, now stacked
  Array array;        // else the elements
  bool weak = false;  // contains only Python numbers
};

// Throws ValueError, with the position, if rows have different lengths, and
// TypeError for elements that are not numbers.
NestedList ReadNested(nb::handle list, std::string_view what);

// A str or bytes object as a string without axes.
Array StringScalar(nb::handle text);

}  // namespace sluice::py
