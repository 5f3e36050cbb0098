// The feeds of a run: Python objects as arrays of the type of their
// placeholder. Elements of tensors and numpy arrays are not copied; the step
// may only read them, and copies what it keeps.
//
// Lives for one run; created and destroyed under the GIL.
#pragma once

#include "common.h"
#include "numpy_view.h"
#include "sluice/base/small_vector.h"
#include "sluice/tensor/array.h"

namespace sluice::py {

class FeedValues {
 public:
  // `to` is the fed value, which names it in messages. `keep` copies elements
  // that others own: for steps that outlive the call.
  void Add(nb::handle object, DType dtype, const Value& to, bool keep = false);
  std::vector<Array>& arrays() { return arrays_; }

 private:
  std::vector<Array> arrays_;     // for the step
  SmallVector<Array, 4> owners_;  // owners of viewed elements
  SmallVector<nb::object, 4> objects_;
  std::vector<std::unique_ptr<NumpyView>> views_;
};

// "the feed of "x:0"".
std::string FeedPlace(const Value& to);

// A result as a separate tensor: elements with other owners (a variable, a
// constant, a feed) are copied.
Tensor ResultTensor(Array array);

}  // namespace sluice::py
