#include "same_value.h"

#include <cstring>

#include "numpy_view.h"
#include "sluice/base/strings.h"

namespace sluice::py {

bool SameValue(nb::handle a, nb::handle b) {
  if (a.is(b)) return true;
  PyTypeObject* type = Py_TYPE(a.ptr());
  if (type != Py_TYPE(b.ptr())) return false;
  if (type == &PyFloat_Type) {
    // NaN equals itself, and -0 differs from 0.
    double x = PyFloat_AS_DOUBLE(a.ptr()), y = PyFloat_AS_DOUBLE(b.ptr());
    return std::memcmp(&x, &y, sizeof x) == 0;
  }
  if (type == &PyComplex_Type) {
    Py_complex x = PyComplex_AsCComplex(a.ptr());
    Py_complex y = PyComplex_AsCComplex(b.ptr());
    return std::memcmp(&x, &y, sizeof x) == 0;
  }
  if (type == &PyMethod_Type) {
    return PyMethod_GET_FUNCTION(a.ptr()) == PyMethod_GET_FUNCTION(b.ptr()) &&
           PyMethod_GET_SELF(a.ptr()) == PyMethod_GET_SELF(b.ptr());
  }
  if (type == &PyTuple_Type) {
    Py_ssize_t size = PyTuple_GET_SIZE(a.ptr());
    if (size != PyTuple_GET_SIZE(b.ptr())) return false;
    for (Py_ssize_t i = 0; i < size; ++i) {
      if (!SameValue(PyTuple_GET_ITEM(a.ptr(), i),
                     PyTuple_GET_ITEM(b.ptr(), i))) {
        return false;
      }
    }
    return true;
  }
  if (type == &PyLong_Type || type == &PyUnicode_Type ||
      type == &PyBytes_Type || type == &PyRange_Type || type == &PySlice_Type) {
    int equal = PyObject_RichCompareBool(a.ptr(), b.ptr(), Py_EQ);
    if (equal < 0) throw nb::python_error();
    return equal == 1;
  }
  if (IsNumpyScalar(a)) {
    // Compared by bits as well.
    return a.attr("dtype").equal(b.attr("dtype")) &&
           a.attr("tobytes")().equal(b.attr("tobytes")());
  }
  return false;
}

std::string ShortRepr(nb::handle object) {
  constexpr size_t kLongText = 60;
  PyObject* text = PyObject_Repr(object.ptr());
  if (!text) {
    PyErr_Clear();
    return StrCat("a ", Py_TYPE(object.ptr())->tp_name);
  }
  std::string all = nb::cast<std::string>(nb::steal(text));
  for (char& c : all) {
    if (c == '\n') c = ' ';
  }
  if (all.size() <= kLongText) return all;
  size_t cut = kLongText;
  while (cut > 0 && (static_cast<unsigned char>(all[cut]) & 0xC0) == 0x80) {
    --cut;
  }
  return all.substr(0, cut) + "...";
}

}  // namespace sluice::py
