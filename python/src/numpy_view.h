// A numpy array's elements, looked at for a while: the short way for arrays of
// plain numbers in row-major order. foreign_array.h takes everything else.
//
// Made and dropped under the GIL; the array is kept, and keeps its size,
// meanwhile.
#pragma once

#include <memory>
#include <optional>

#include "common.h"
#include "sluice/tensor/array.h"

namespace sluice::py {

class NumpyView {
 public:
  // Null when the object is not such an array.
  static std::unique_ptr<NumpyView> Of(nb::handle object);
  ~NumpyView();
  NumpyView(const NumpyView&) = delete;
  NumpyView& operator=(const NumpyView&) = delete;

  // Borrowed: good while this lives.
  const Array& array() const { return array_; }

 private:
  NumpyView() = default;
  Py_buffer buffer_{};
  Array array_;
};

// Where the elements of a numpy array lie, of any order: what
// `__array_interface__` says, without the dict of objects it says it in, which
// takes microseconds. Nothing for arrays whose elements are not of plain types
// in this machine's order, or lie between places for them.
struct NumpyElements {
  void* data;
  DType dtype;
  Shape shape;
  Strides strides;  // in elements
  bool readonly;
};
std::optional<NumpyElements> NumpyElementsOf(nb::handle object);

// True for np.float64(2.) and its like, which are no arrays.
bool IsNumpyScalar(nb::handle object);

}  // namespace sluice::py
