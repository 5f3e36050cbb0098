// Assignment of attributes of tensors: only existing attributes are accepted.
// Any other, such as a misspelt requires_grad, would be stored and never read,
// so it is refused. User classes derived from Tensor may have any attributes.
#pragma once

#include "common.h"

namespace sluice::py {

// For tp_setattro.
int SetTensorAttribute(PyObject* self, PyObject* name, PyObject* value);

// Adds close_attributes(cls), for classes of the package.
void BindTensorAttributes(nb::module_& m);

}  // namespace sluice::py
