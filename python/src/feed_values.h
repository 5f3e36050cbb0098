// What a run is given: Python objects as arrays of the type their place has.
// Elements of tensors and of numpy's arrays are not copied; the step may only
// read them, and copies what it keeps.
//
// Lives for one run; made and dropped under the GIL.
#pragma once

#include "common.h"
#include "numpy_view.h"
#include "sluice/base/small_vector.h"
#include "sluice/tensor/array.h"

namespace sluice::py {

class FeedValues {
 public:
  // `to` is the place it is for, and names it in messages. `keep` copies
  // elements that belong to somebody else: for steps that outlive the call.
  void Add(nb::handle object, DType dtype, const Value& to, bool keep = false);
  std::vector<Array>& arrays() { return arrays_; }

 private:
  std::vector<Array> arrays_;     // for the step
  SmallVector<Array, 4> owners_;  // of elements it looks at
  SmallVector<nb::object, 4> objects_;
  std::vector<std::unique_ptr<NumpyView>> views_;
};

// "the feed of "x:0"".
std::string FeedPlace(const Value& to);

// A result as a tensor of its own: elements that somebody else has too (a
// variable, a constant, a feed) are copied.
Tensor ResultTensor(Array array);

}  // namespace sluice::py
