#include "variable_operators.h"

#include "errors.h"
#include "sluice/base/strings.h"
#include "sluice/front/variable.h"
#include "tensor.h"

namespace sluice::py {

namespace {

// Reads a variable; everything else is unchanged.
nb::object Read(PyObject* object) {
  if (!nb::isinstance<Variable>(nb::handle(object))) return nb::borrow(object);
  Variable v;
  if (!nb::try_cast<Variable>(nb::handle(object), v, false) || !v.defined()) {
    ThrowTypeError("this Variable holds nothing: __init__ was not called");
  }
  return nb::cast(v.read());
}

template <PyObject* (*F)(PyObject*, PyObject*)>
PyObject* Binary(PyObject* a, PyObject* b) {
  try {
    // Read in source order.
    nb::object left = Read(a), right = Read(b);
    return F(left.ptr(), right.ptr());
  } catch (...) {
    SetPythonError();
    return nullptr;
  }
}

template <PyObject* (*F)(PyObject*)>
PyObject* Unary(PyObject* a) {
  try {
    return F(Read(a).ptr());
  } catch (...) {
    SetPythonError();
    return nullptr;
  }
}

PyObject* PowerOf(PyObject* a, PyObject* b) {
  return PyNumber_Power(a, b, Py_None);
}
PyObject* Power(PyObject* a, PyObject* b, PyObject*) {
  return Binary<&PowerOf>(a, b);
}

PyObject* Compare(PyObject* a, PyObject* b, int how) {
  try {
    nb::object left = Read(a), right = Read(b);
    return PyObject_RichCompare(left.ptr(), right.ptr(), how);
  } catch (...) {
    SetPythonError();
    return nullptr;
  }
}

// Hashed by identity, because equality is elementwise.
Py_hash_t Hash(PyObject* a) {
  return static_cast<Py_hash_t>(reinterpret_cast<uintptr_t>(a) >> 4);
}

int Truth(PyObject* a) {
  try {
    return PyObject_IsTrue(Read(a).ptr());
  } catch (...) {
    SetPythonError();
    return -1;
  }
}

template <class F>
void* Slot(F* f) {
  return reinterpret_cast<void*>(f);
}

}  // namespace

PyType_Slot* VariableSlots() {
  static PyType_Slot slots[] = {
      {Py_nb_add, Slot(&Binary<&PyNumber_Add>)},
      {Py_nb_subtract, Slot(&Binary<&PyNumber_Subtract>)},
      {Py_nb_multiply, Slot(&Binary<&PyNumber_Multiply>)},
      {Py_nb_true_divide, Slot(&Binary<&PyNumber_TrueDivide>)},
      {Py_nb_floor_divide, Slot(&Binary<&PyNumber_FloorDivide>)},
      {Py_nb_remainder, Slot(&Binary<&PyNumber_Remainder>)},
      {Py_nb_matrix_multiply, Slot(&Binary<&PyNumber_MatrixMultiply>)},
      {Py_nb_power, Slot(&Power)},
      {Py_nb_and, Slot(&Binary<&PyNumber_And>)},
      {Py_nb_or, Slot(&Binary<&PyNumber_Or>)},
      {Py_nb_xor, Slot(&Binary<&PyNumber_Xor>)},
      {Py_nb_lshift, Slot(&Binary<&PyNumber_Lshift>)},
      {Py_nb_rshift, Slot(&Binary<&PyNumber_Rshift>)},
      {Py_nb_negative, Slot(&Unary<&PyNumber_Negative>)},
      {Py_nb_positive, Slot(&Unary<&PyNumber_Positive>)},
      {Py_nb_absolute, Slot(&Unary<&PyNumber_Absolute>)},
      {Py_nb_invert, Slot(&Unary<&PyNumber_Invert>)},
      {Py_nb_bool, Slot(&Truth)},
      {Py_mp_subscript, Slot(&Binary<&PyObject_GetItem>)},
      {Py_tp_richcompare, Slot(&Compare)},
      {Py_tp_hash, Slot(&Hash)},
      {0, nullptr}};
  return slots;
}

nb::object VariableAttribute(nb::handle self, nb::handle name) {
  std::string_view text = nb::cast<std::string_view>(name);
  // Testing for an attribute must not add a read to the graph.
  if (text.starts_with('_') || !nb::hasattr(TensorClass(), name)) {
    throw nb::attribute_error(
        StrCat("a Variable has no attribute \"", text, "\"").c_str());
  }
  return Read(self.ptr()).attr(name);
}

}  // namespace sluice::py
