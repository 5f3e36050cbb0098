#include "own_code.h"

namespace sluice::py {

namespace {

bool IsPartial(nb::handle o) {
  // Never destroyed: it holds a Python object.
  static auto& type =
      *new nb::object(nb::module_::import_("functools").attr("partial"));
  return PyObject_TypeCheck(o.ptr(),
                            reinterpret_cast<PyTypeObject*>(type.ptr())) != 0;
}

nb::object CallOf(nb::handle o) {
  return nb::getattr(o.type(), "__call__", nb::none());
}

std::vector<std::pair<nb::object, nb::object>> Items(nb::handle dict) {
  std::vector<std::pair<nb::object, nb::object>> items;
  if (!dict.is_valid()) return items;
  for (auto [name, value] : nb::borrow<nb::dict>(dict)) {
    items.emplace_back(nb::borrow(name), nb::borrow(value));
  }
  return items;
}

}  // namespace

void OwnCode::Look(nb::handle callable) {
  PyObject* f = callable.ptr();
  if (PyMethod_Check(f)) {
    Look(PyMethod_GET_FUNCTION(f));
    return;
  }
  Part part;
  part.owner = nb::borrow(callable);
  nb::object inner;
  if (PyFunction_Check(f)) {
    part.code = nb::borrow(PyFunction_GET_CODE(f));
    part.rest = nb::borrow(PyFunction_GET_DEFAULTS(f));
    part.named = nb::borrow(PyFunction_GET_KW_DEFAULTS(f));
  } else if (IsPartial(callable)) {
    inner = callable.attr("func");
    part.named = callable.attr("keywords");
  } else {
    part.code = nb::borrow(callable.type());
    part.rest = CallOf(callable);
    if (PyFunction_Check(part.rest.ptr())) inner = part.rest;
  }
  part.values = Items(part.named);
  parts_.push_back(std::move(part));
  if (inner.is_valid()) Look(inner);
}

bool OwnCode::Part::Same() const {
  PyObject* f = owner.ptr();
  if (PyFunction_Check(f)) {
    if (code.ptr() != PyFunction_GET_CODE(f) ||
        rest.ptr() != PyFunction_GET_DEFAULTS(f) ||
        named.ptr() != PyFunction_GET_KW_DEFAULTS(f)) {
      return false;
    }
  } else if (code.is_valid()) {
    if (!code.is(owner.type()) || !rest.is(CallOf(owner))) return false;
  }
  if (!named.is_valid()) return true;
  if (PyDict_Size(named.ptr()) != static_cast<Py_ssize_t>(values.size())) {
    return false;
  }
  for (const auto& [name, value] : values) {
    PyObject* now = PyDict_GetItemWithError(named.ptr(), name.ptr());
    if (!now && PyErr_Occurred()) throw nb::python_error();
    if (now != value.ptr()) return false;
  }
  return true;
}

bool OwnCode::Same() const {
  for (const Part& part : parts_) {
    if (!part.Same()) return false;
  }
  return true;
}

int OwnCode::Visit(visitproc visit, void* arg) const {
  for (const Part& part : parts_) {
    for (const nb::object* held :
         {&part.owner, &part.code, &part.rest, &part.named}) {
      Py_VISIT(held->ptr());
    }
    for (const auto& [name, value] : part.values) {
      Py_VISIT(name.ptr());
      Py_VISIT(value.ptr());
    }
  }
  return 0;
}

}  // namespace sluice::py
