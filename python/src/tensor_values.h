// Elements of tensors as Python numbers: item(), tolist(), bool(), int().
#pragma once

#include <optional>

#include "common.h"
#include "sluice/tensor/array.h"

namespace sluice::py {

// The element at that address as a bool, int, float, complex or bytes object.
nb::object ElementToPython(DType dtype, const void* element);

// The elements of an imperative tensor, copied to the host if necessary. Throws
// TypeError, naming `what` ("bool()"), for a tensor of a graph, which has no
// elements.
Array ElementsOf(const Tensor& tensor, std::string_view what);
// The same, for code that depends on the elements. In a function being recorded
// they are those of the recorded call if decisions are made by value
// (trace/decisions.h); otherwise this throws, and the function is recorded
// again with decisions by value.
Array ElementsNow(const Tensor& tensor, std::string_view what);
// Those of a tensor of the graph being recorded, with decisions by value.
std::optional<Array> DecidedElements(const Tensor& tensor);
// The tensor's own array, on any device. Throws as above.
const Array& OwnArrayOf(const Tensor& tensor, std::string_view what);
// The tensor's own array, for sharing its memory: it must be on the host.
const Array& SharedElementsOf(const Tensor& tensor, std::string_view what);

// The only element of a tensor. Throws ValueError if there are more or none.
nb::object OnlyElement(const Tensor& tensor, std::string_view what);

// Slots of the class, called by Python directly.
int TensorTruth(PyObject* self);
PyObject* TensorInt(PyObject* self);
PyObject* TensorFloat(PyObject* self);
PyObject* TensorIndex(PyObject* self);
Py_ssize_t TensorLength(PyObject* self);

void BindTensorValues(nb::module_& m);

}  // namespace sluice::py
