// Parts of tensors: t[...] and t[...] = v.
#pragma once

#include "common.h"
#include "tensor_index_key.h"

namespace sluice::py {

// The part that numbers, slices and new axes of the key show: a view, and the
// axes of it the advanced entries index.
struct Basic {
  Tensor part;
  std::vector<int> axes;
  std::vector<Tensor> places;  // one for each of them, broadcast together
};
Basic CutBasic(const Tensor& tensor, const Key& key);

// t[key].
Tensor PartOf(const Tensor& tensor, const Key& key);

// Tuples of places along a new last axis, one number for each indexed axis.
Tensor PlaceTuples(const Basic& basic);

// x with a block of `count` axes moved from one place to another.
Tensor MoveBlock(const Tensor& x, int from, int count, int to);
// x with some axes moved to the front, in that order.
Tensor AxesFirst(const Tensor& x, const std::vector<int>& axes);

// Slots of the class.
PyObject* TensorGetItem(PyObject* self, PyObject* key);
int TensorSetItem(PyObject* self, PyObject* key, PyObject* value);

}  // namespace sluice::py
