// A Python object as an operand of an op: a tensor, an array with its own type
// (numpy's), or a weak number or list that takes the type of the other operand,
// like 2 in x * 2.
#pragma once

#include "common.h"
#include "sluice/tensor/array.h"

namespace sluice::py {

struct Given {
  Tensor tensor;       // holds something: a tensor
  Array array;         // else the value
  bool weak = false;   // takes the type of the other operand
  bool typed = false;  // has its own type, even if it is a number

  DType dtype() const {
    return tensor.defined() ? tensor.dtype() : array.dtype();
  }
};

// Throws TypeError if ops do not accept the object; `what` names it in the
// message: "matmul: b".
Given Take(nb::handle object, std::string_view what);

// The object's elements, copied to the host: numbers, nested lists, numpy
// arrays, tensors, and anything with __dlpack__, __array__ or the buffer
// protocol. Converted to the given type, if any. `what` names the object in
// messages.
Array ArrayOf(nb::handle object, std::string_view what,
              DType dtype = DType::kInvalid);

// The same elements, shared if possible: writes are visible on both sides.
Array SharedArrayOf(nb::handle object, std::string_view what);

// The elements as another type. Runs eagerly.
Array CastArray(const Array& array, DType dtype);

// A tensor with these elements.
Tensor TensorOf(Array array);

// True for a Tensor or an object of a class derived from it.
bool IsTensor(nb::handle object);
// Throws TypeError if it is none: methods may be called on any object.
Tensor& AsTensor(nb::handle object);

// The Python object of a new tensor; cheaper than nb::cast.
nb::object Wrap(Tensor tensor);

// Anything an op accepts, as a tensor: new tensors are made on the device for
// new tensors; those of numbers, on the host.
Tensor ToTensor(nb::handle object, std::string_view what);
// The same for values that the host reads: a new tensor stays there.
Tensor ToHostTensor(nb::handle object, std::string_view what);

}  // namespace sluice::py
