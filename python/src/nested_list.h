// Nested lists and tuples of numbers, strings, arrays and tensors as one array.
#pragma once

#include "common.h"
#include "sluice/tensor/array.h"

namespace sluice::py {

struct NestedList {
  Tensor tensor;      // holds something: the list held tensors, now stacked
  Array array;        // else the elements
  bool weak = false;  // of nothing but Python's numbers
};

// Throws ValueError, naming the place, when rows are of different lengths, and
// TypeError for what is no number.
NestedList ReadNested(nb::handle list, std::string_view what);

// A str or bytes object as a string without axes.
Array StringScalar(nb::handle text);

}  // namespace sluice::py
