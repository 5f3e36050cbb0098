#include "tensor_attributes.h"

#include <algorithm>
#include <vector>

#include "errors.h"
#include "sluice/base/strings.h"
#include "tensor.h"

namespace sluice::py {

namespace {

// Classes live as long as the process.
std::vector<PyTypeObject*>& Closed() {
  static auto* closed = new std::vector<PyTypeObject*>;
  return *closed;
}

bool IsClosed(PyTypeObject* type) {
  const std::vector<PyTypeObject*>& closed = Closed();
  return std::find(closed.begin(), closed.end(), type) != closed.end();
}

// Attributes that the package itself sets on a tensor, and Python's __class__.
bool IsOurs(std::string_view name) {
  return name.starts_with("_sl_") || name.starts_with("__");
}

// A hint from Python with the names that can be set.
std::string Hint(PyTypeObject* type, PyObject* name) {
  nb::object hint =
      nb::module_::import_("sluice._array.attributes")
          .attr("hint")(nb::handle(reinterpret_cast<PyObject*>(type)),
                        nb::handle(name));
  return nb::cast<std::string>(hint);
}

}  // namespace

int SetTensorAttribute(PyObject* self, PyObject* name, PyObject* value) {
  PyTypeObject* type = Py_TYPE(self);
  if (!IsClosed(type)) return PyObject_GenericSetAttr(self, name, value);
  const char* text = PyUnicode_AsUTF8(name);
  if (!text) return -1;
  nb::object known =
      nb::steal(PyObject_GetAttr(reinterpret_cast<PyObject*>(type), name));
  if (!known.is_valid()) PyErr_Clear();
  bool property = known.is_valid() && Py_TYPE(known.ptr())->tp_descr_set;
  if (property || IsOurs(text)) {
    return PyObject_GenericSetAttr(self, name, value);
  }
  try {
    std::string message =
        known.is_valid() ? StrCat("'", type->tp_name, "' object attribute '",
                                  text, "' is a method and cannot be set")
                         : StrCat("'", type->tp_name,
                                  "' object has no attribute '", text, "'");
    PyErr_SetString(PyExc_AttributeError,
                    StrCat(message, Hint(type, name)).c_str());
  } catch (...) {
    SetPythonError();
  }
  return -1;
}

void BindTensorAttributes(nb::module_& m) {
  auto close = [](nb::handle cls) {
    Closed().push_back(reinterpret_cast<PyTypeObject*>(cls.ptr()));
  };
  close(TensorClass());
  m.def(
      "close_attributes", [close](nb::type_object cls) { close(cls); },
      "cls"_a);
}

}  // namespace sluice::py
