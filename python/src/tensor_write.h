// In-place writes to tensors from Python: a += b, a.copy_(b), a[i] = b.
#pragma once

#include "common.h"
#include "operand.h"

namespace sluice::py {

enum class WriteKind { kAdd, kSub, kMul, kDiv, kCopy };

// target = target op value, in place, with the version checks of C++. The value
// is converted to the target's type; throws TypeError if that would lose more
// than precision: floats written to integers.
void WriteInPlace(WriteKind kind, const Tensor& target, Given value,
                  std::string_view what);

// Slots of the class. A tensor of a graph is not written: the name is bound to
// the result instead.
PyObject* InPlaceAdd(PyObject* a, PyObject* b);
PyObject* InPlaceSub(PyObject* a, PyObject* b);
PyObject* InPlaceMul(PyObject* a, PyObject* b);
PyObject* InPlaceDiv(PyObject* a, PyObject* b);

void BindTensorWrite(nb::module_& m);

}  // namespace sluice::py
