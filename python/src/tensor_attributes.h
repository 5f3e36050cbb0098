// Attributes of tensors that programs set: those the class has. One that it
// does not have would be kept and never looked at, as a misspelt requires_grad,
// so it is refused. Classes of the user's own that derive from Tensor have what
// they like.
#pragma once

#include "common.h"

namespace sluice::py {

// For tp_setattro.
int SetTensorAttribute(PyObject* self, PyObject* name, PyObject* value);

// Adds close_attributes(cls), for classes of the package.
void BindTensorAttributes(nb::module_& m);

}  // namespace sluice::py
