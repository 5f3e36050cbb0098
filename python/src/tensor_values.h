// Elements of tensors as Python's numbers: item(), tolist(), bool(), int().
#pragma once

#include <optional>

#include "common.h"
#include "sluice/tensor/array.h"

namespace sluice::py {

// The element at that address as a bool, int, float, complex or bytes object.
nb::object ElementToPython(DType dtype, const void* element);

// The elements of an imperative tensor. Throws TypeError, in the name of
// `what` ("bool()"), when it is part of a graph: nothing is there to look at.
// Copied to the host from a device's memory.
Array ElementsOf(const Tensor& tensor, std::string_view what);
// The same, for code that goes on by them. Of a graph being recorded they are
// those of the call it is recorded for, where values decide
// (trace/decisions.h); else this throws, and the function is recorded again,
// for them to.
Array ElementsNow(const Tensor& tensor, std::string_view what);
// Those of a tensor of the graph being recorded, where values decide.
std::optional<Array> DecidedElements(const Tensor& tensor);
// The tensor's own array, wherever it lies. Throws as above.
const Array& OwnArrayOf(const Tensor& tensor, std::string_view what);
// The tensor's own array, for what shares its memory: it must be the host's.
const Array& SharedElementsOf(const Tensor& tensor, std::string_view what);

// The one element of a tensor. Throws ValueError when there are more or none.
nb::object OnlyElement(const Tensor& tensor, std::string_view what);

// Slots of the class, called by Python directly.
int TensorTruth(PyObject* self);
PyObject* TensorInt(PyObject* self);
PyObject* TensorFloat(PyObject* self);
PyObject* TensorIndex(PyObject* self);
Py_ssize_t TensorLength(PyObject* self);

void BindTensorValues(nb::module_& m);

}  // namespace sluice::py
