#include "seen.h"

#include "numpy_view.h"
#include "operand.h"
#include "same_value.h"

namespace sluice::py {

namespace {

// Borrowed; null if the object is gone.
PyObject* Referent(PyObject* weak) {
#if PY_VERSION_HEX >= 0x030D0000
  PyObject* object = nullptr;
  if (PyWeakref_GetRef(weak, &object) < 0) throw nb::python_error();
  Py_XDECREF(object);  // the caller has the GIL
  return object;
#else
  PyObject* object = PyWeakref_GET_OBJECT(weak);
  return object == Py_None ? nullptr : object;
#endif
}

// A weak reference; empty if the object does not support them.
nb::object Weakly(nb::handle object) {
  PyObject* weak = PyWeakref_NewRef(object.ptr(), nullptr);
  if (!weak) PyErr_Clear();
  return nb::steal(weak);
}

bool IsValue(nb::handle o) {
  PyTypeObject* type = Py_TYPE(o.ptr());
  return o.is_none() || type == &PyBool_Type || type == &PyLong_Type ||
         type == &PyFloat_Type || type == &PyUnicode_Type ||
         type == &PyBytes_Type || type == &PyComplex_Type ||
         type == &PyTuple_Type || type == &PyRange_Type ||
         type == &PySlice_Type || type == &PyMethod_Type || IsNumpyScalar(o);
}

}  // namespace

PyObject* ItemOf(PyObject* dict, PyObject* key) {
  PyObject* found = PyDict_GetItemWithError(dict, key);
  if (!found && PyErr_Occurred()) throw nb::python_error();
  return found;
}

const EagerRef* EagerOf(PyObject* o) {
  if (!IsTensor(o)) return nullptr;
  Tensor& tensor = AsTensor(o);
  return tensor.defined() && !tensor.symbolic() ? &tensor.eager() : nullptr;
}

Place::Place(Kind kind, nb::handle owner, nb::handle key)
    : kind_(kind), key_(nb::borrow(key)) {
  if (kind != Kind::kItem && kind != Kind::kCell && kind != Kind::kElement) {
    owner_ = Weakly(owner);
  }
  weak_ = owner_.is_valid();
  if (!weak_) owner_ = nb::borrow(owner);
}

PyObject* Place::Owner() const {
  return weak_ ? Referent(owner_.ptr()) : owner_.ptr();
}

nb::object Place::Read() const {
  PyObject* owner = Owner();
  if (!owner) return {};
  switch (kind_) {
    case Kind::kItem:
      return nb::borrow(ItemOf(owner, key_.ptr()));
    case Kind::kInstance: {
      nb::object dict = nb::steal(PyObject_GenericGetDict(owner, nullptr));
      if (!dict.is_valid()) {
        PyErr_Clear();
        return {};
      }
      return nb::borrow(ItemOf(dict.ptr(), key_.ptr()));
    }
    case Kind::kElement: {
      if (!PyList_Check(owner)) return {};
      Py_ssize_t at = PyLong_AsSsize_t(key_.ptr());
      if (at < 0 || at >= PyList_GET_SIZE(owner)) return {};
      return nb::borrow(PyList_GET_ITEM(owner, at));
    }
    case Kind::kCell:
      return nb::steal(PyCell_Get(owner));
    case Kind::kType:
      return nb::borrow(
          _PyType_Lookup(reinterpret_cast<PyTypeObject*>(owner), key_.ptr()));
    case Kind::kSlot: {
      nb::object found = nb::steal(PyObject_GetAttr(owner, key_.ptr()));
      if (!found.is_valid()) PyErr_Clear();
      return found;
    }
    case Kind::kCode:
      return nb::borrow(PyFunction_GetCode(owner));
    case Kind::kDefaults:
      return nb::borrow(PyFunction_GetDefaults(owner));
    case Kind::kNamed:
      return nb::borrow(PyFunction_GetKwDefaults(owner));
  }
  return {};
}

nb::object Place::Parts() const {
  PyObject* owner = Owner();
  if (!owner) return nb::none();
  return nb::make_tuple(static_cast<int>(kind_), nb::handle(owner), key_);
}

bool Place::operator==(const Place& other) const {
  return kind_ == other.kind_ && Owner() == other.Owner() &&
         (key_.is(other.key_) || key_.equal(other.key_));
}

int Place::Visit(visitproc visit, void* arg) const {
  Py_VISIT(owner_.ptr());
  Py_VISIT(key_.ptr());
  return 0;
}

Seen::Seen(nb::handle value) {
  if (value.ptr() == Py_NotImplemented) {
    kind_ = Kind::kAny;
    return;
  }
  if (const EagerRef* eager = EagerOf(value.ptr())) {
    kind_ = Kind::kTensor;
    eager_ = *eager;
    return;
  }
  kind_ = Kind::kValue;
  if (!IsValue(value)) value_ = Weakly(value);
  if (value_.is_valid()) {
    kind_ = Kind::kWeak;
  } else {
    value_ = nb::borrow(value);
  }
}

bool Seen::Still(PyObject* now) const {
  switch (kind_) {
    case Kind::kNothing:
      return !now;
    case Kind::kTensor: {
      if (!now) return false;
      const EagerRef* eager = EagerOf(now);
      return eager && eager->get() == eager_.get();
    }
    case Kind::kAny:
      return now && EagerOf(now);
    case Kind::kWeak:
      return now && Referent(value_.ptr()) == now;
    default:
      return now && (value_.ptr() == now || SameValue(value_, now));
  }
}

std::string Seen::Text() const {
  switch (kind_) {
    case Kind::kNothing:
      return "nothing";
    case Kind::kTensor:
    case Kind::kAny:
      return "a tensor";
    case Kind::kWeak: {
      PyObject* object = Referent(value_.ptr());
      return object ? ShortRepr(object) : "an object that is gone";
    }
    default:
      return ShortRepr(value_);
  }
}

int Seen::Visit(visitproc visit, void* arg) const {
  Py_VISIT(value_.ptr());
  return 0;
}

}  // namespace sluice::py
