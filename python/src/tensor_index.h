// Parts of tensors: t[...] and t[...] = v.
#pragma once

#include "common.h"
#include "tensor_index_key.h"

namespace sluice::py {

// The view selected by the integers, slices and new axes of the key, and those
// of its axes that the advanced entries index.
struct Basic {
  Tensor part;
  std::vector<int> axes;
  std::vector<Tensor> places;  // one per axis, broadcast together
};
Basic CutBasic(const Tensor& tensor, const Key& key);

// t[key].
Tensor PartOf(const Tensor& tensor, const Key& key);

// Tuples of indices along a new last axis, one index per indexed axis.
Tensor PlaceTuples(const Basic& basic);

// x with a block of `count` axes moved from one position to another.
Tensor MoveBlock(const Tensor& x, int from, int count, int to);
// x with the given axes moved to the front, in that order.
Tensor AxesFirst(const Tensor& x, const std::vector<int>& axes);

// Slots of the class.
PyObject* TensorGetItem(PyObject* self, PyObject* key);
int TensorSetItem(PyObject* self, PyObject* key, PyObject* value);

}  // namespace sluice::py
