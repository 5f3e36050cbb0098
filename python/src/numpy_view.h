// A numpy array's elements, looked at for a while: the short way for arrays of
// plain numbers in row-major order. foreign_array.h takes everything else.
//
// Made and dropped under the GIL; the array is kept, and keeps its size,
// meanwhile.
#pragma once

#include <memory>

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

}  // namespace sluice::py
