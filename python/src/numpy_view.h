// A temporary view of a numpy array's elements: the fast path for arrays of
// plain numbers in row-major order. foreign_array.h handles all others.
//
// Created and destroyed under the GIL; keeps the array alive, and prevents it
// from being resized.
#pragma once

#include <memory>
#include <optional>

#include "common.h"
#include "sluice/tensor/array.h"

namespace sluice::py {

class NumpyView {
 public:
  // Null if the object is not such an array.
  static std::unique_ptr<NumpyView> Of(nb::handle object);
  ~NumpyView();
  NumpyView(const NumpyView&) = delete;
  NumpyView& operator=(const NumpyView&) = delete;

  // Borrowed: valid while this object lives.
  const Array& array() const { return array_; }

 private:
  NumpyView() = default;
  Py_buffer buffer_{};
  Array array_;
};

// The address of a numpy array's elements, in any order: the contents of
// `__array_interface__` without its dict of objects, which takes microseconds
// to build. Empty for arrays with other than plain elements in native byte
// order, or with misaligned elements.
struct NumpyElements {
  void* data;
  DType dtype;
  Shape shape;
  Strides strides;  // in elements
  bool readonly;
};
std::optional<NumpyElements> NumpyElementsOf(nb::handle object);

// True for np.float64(2.) and the like, which are not arrays.
bool IsNumpyScalar(nb::handle object);

}  // namespace sluice::py
