// What a Python object is as an operand of an op: a tensor, an array with a
// type of its own (numpy's), or a number or list that takes the type of what it
// meets, as 2 does in x * 2.
#pragma once

#include "common.h"
#include "sluice/tensor/array.h"

namespace sluice::py {

struct Given {
  Tensor tensor;       // holds something: a tensor
  Array array;         // else the value
  bool weak = false;   // it takes the type of what it meets
  bool typed = false;  // it has the one it has, even if it stands for a number

  DType dtype() const {
    return tensor.defined() ? tensor.dtype() : array.dtype();
  }
};

// Throws TypeError when the object is nothing an op takes; `what` names it in
// the message: "matmul: b".
Given Take(nb::handle object, std::string_view what);

// The object's elements, copied to the host: numbers, nested lists, numpy
// arrays, tensors, whatever has __dlpack__, __array__ or the buffer protocol.
// Of that type, when one is given. `what` names it in messages.
Array ArrayOf(nb::handle object, std::string_view what,
              DType dtype = DType::kInvalid);

// The same elements, where they can be shared: writes show on both sides.
Array SharedArrayOf(nb::handle object, std::string_view what);

// The elements as another type. Runs at once.
Array CastArray(const Array& array, DType dtype);

// A tensor that holds these elements.
Tensor TensorOf(Array array);

// True for a Tensor or an object of a class derived from it.
bool IsTensor(nb::handle object);
// Throws TypeError when it is none: methods may be called on anything.
Tensor& AsTensor(nb::handle object);

// The Python object of a tensor that is new; cheaper than nb::cast.
nb::object Wrap(Tensor tensor);

// Anything an op takes, as a tensor: of what is none, one on the device where
// tensors are made, or of a number, on the host.
Tensor ToTensor(nb::handle object, std::string_view what);
// The same for what the host reads: one that is made stays there.
Tensor ToHostTensor(nb::handle object, std::string_view what);

}  // namespace sluice::py
