// The kind of node an object is, and whether a tree has a given structure.
#include "operand.h"
#include "sluice/base/strings.h"
#include "sluice/front/list.h"
#include "tree_node.h"

namespace sluice::py {

nb::dict& RegisteredTypes() {
  // Never destroyed: it holds Python objects.
  static auto& types = *new nb::dict;
  return types;
}

nb::tuple CustomParts(nb::handle o) {
  return nb::cast<nb::tuple>(
      nb::cast<nb::tuple>(RegisteredTypes()[o.type()])[0](o));
}

bool IsCustom(nb::handle o) {
  nb::dict& registered = RegisteredTypes();
  return registered.size() > 0 && registered.contains(o.type());
}

bool IsNamedTuple(nb::handle o) {
  return PyTuple_Check(o.ptr()) && nb::hasattr(o, "_fields");
}

nb::object DictOf(nb::handle o) {
  PyObject* dict = PyObject_GenericGetDict(o.ptr(), nullptr);
  if (!dict) PyErr_Clear();
  return nb::steal(dict);
}

bool IsList(nb::handle o) {
  return nb::isinstance<List>(o) && nb::inst_ready(o);
}

bool IsDataclass(nb::handle o) {
  return nb::hasattr(o.type(), "__dataclass_fields__");
}

namespace {

using Node = TreeDef::Node;
using Kind = Node::Kind;

bool IsLeaf(nb::handle o) {
  if (IsTensor(o)) return true;
  PyTypeObject* type = Py_TYPE(o.ptr());
  if (type == &PyLong_Type || type == &PyFloat_Type || type == &PyBool_Type ||
      type == &PyUnicode_Type) {
    return true;
  }
  return !o.is_none() && !PyTuple_Check(o.ptr()) && !PyList_Check(o.ptr()) &&
         !PyDict_Check(o.ptr()) && !IsCustom(o) && !IsList(o) &&
         (PyType_Check(o.ptr()) || !IsDataclass(o));
}

bool Collect(const Node& node, nb::handle o, std::vector<nb::object>& leaves);

bool CollectBeside(const Node& node, nb::handle o,
                   std::vector<nb::object>& leaves) {
  if (!node.held) return true;
  nb::object dict = DictOf(o);
  if (!dict.is_valid()) return *node.held == 0;
  if (static_cast<size_t>(PyDict_Size(dict.ptr())) != *node.held) return false;
  for (size_t i = 0; i < node.beside; ++i) {
    const nb::object& key = node.keys[node.keys.size() - node.beside + i];
    PyObject* value = PyDict_GetItemWithError(dict.ptr(), key.ptr());
    if (!value && PyErr_Occurred()) throw nb::python_error();
    size_t child = node.children.size() - node.beside + i;
    if (!value || !Collect(node.children[child], nb::borrow(value), leaves)) {
      return false;
    }
  }
  return true;
}

bool Collect(const Node& node, nb::handle o, std::vector<nb::object>& leaves) {
  const auto count =
      static_cast<Py_ssize_t>(node.children.size() - node.beside);
  auto child = [&](Py_ssize_t i, nb::handle c) {
    return Collect(node.children[static_cast<size_t>(i)], c, leaves);
  };
  switch (node.kind) {
    case Kind::kLeaf:
      if (!IsLeaf(o)) return false;
      leaves.push_back(nb::borrow(o));
      return true;
    case Kind::kNone:
      return o.is_none();
    case Kind::kTuple:
      if (!PyTuple_Check(o.ptr()) || PyTuple_GET_SIZE(o.ptr()) != count ||
          (node.type.is_valid() && !o.type().is(node.type)) ||
          (!PyTuple_CheckExact(o.ptr()) &&
           ((node.held && !node.type.is_valid()) || IsNamedTuple(o) ||
            IsCustom(o)))) {
        return false;
      }
      for (Py_ssize_t i = 0; i < count; ++i) {
        if (!child(i, PyTuple_GET_ITEM(o.ptr(), i))) return false;
      }
      return !node.type.is_valid() || CollectBeside(node, o, leaves);
    case Kind::kList:
      if (!PyList_Check(o.ptr()) ||
          (!PyList_CheckExact(o.ptr()) && IsCustom(o))) {
        return false;
      }
      for (Py_ssize_t i = 0; i < count; ++i) {
        // A child's code may have changed it.
        if (PyList_GET_SIZE(o.ptr()) != count) return false;
        if (!child(i, nb::borrow(PyList_GET_ITEM(o.ptr(), i)))) return false;
      }
      return PyList_GET_SIZE(o.ptr()) == count;
    case Kind::kDict: {
      bool plain = PyDict_CheckExact(o.ptr());
      if (!PyDict_Check(o.ptr()) || PyDict_Size(o.ptr()) != count ||
          plain == node.type.is_valid() ||
          (!plain && (!o.type().is(node.type) || IsCustom(o)))) {
        return false;
      }
      for (Py_ssize_t i = 0; i < count; ++i) {
        PyObject* value = PyDict_GetItemWithError(
            o.ptr(), node.keys[static_cast<size_t>(i)].ptr());
        if (!value && PyErr_Occurred()) throw nb::python_error();
        if (!value || !child(i, nb::borrow(value))) return false;
      }
      return true;
    }
    case Kind::kFields:
      if (!o.type().is(node.type)) return false;
      for (Py_ssize_t i = 0; i < count; ++i) {
        nb::object value =
            PyTuple_Check(o.ptr())
                ? nb::borrow(PyTuple_GET_ITEM(o.ptr(), i))
                : nb::object(nb::getattr(o, node.keys[static_cast<size_t>(i)]));
        if (!child(i, value)) return false;
      }
      return CollectBeside(node, o, leaves);
    case Kind::kCustom: {
      if (!o.type().is(node.type)) return false;
      nb::tuple parts = CustomParts(o);
      if (!node.aux.equal(parts[1])) return false;
      Py_ssize_t i = 0;
      for (nb::handle c : nb::iter(parts[0])) {
        if (i == count || !child(i++, c)) return false;
      }
      return i == count;
    }
    case Kind::kTensorList: {
      if (!IsList(o)) return false;
      const List& list = *nb::inst_ptr<List>(o);
      if (list.dtype() != node.dtype || !(list.shape() == node.shape)) {
        return false;
      }
      leaves.push_back(nb::cast(list.tensor()));
      return true;
    }
  }
  return false;
}

void Names(const Node& node, const std::string& path,
           std::vector<std::string>& names) {
  if (node.kind == Kind::kLeaf || node.kind == Kind::kTensorList) {
    names.push_back(path);
    return;
  }
  for (size_t i = 0; i < node.children.size(); ++i) {
    std::string child = StrCat(path, "[", i, "]");
    size_t plain = node.children.size() - node.keys.size();
    if (node.kind == Kind::kFields || (node.beside && i >= plain)) {
      child = StrCat(path, ".",
                     nb::cast<std::string>(nb::str(node.keys[i - plain])));
    } else if (node.kind == Kind::kDict) {
      child =
          StrCat(path, "[", nb::cast<std::string>(nb::repr(node.keys[i])), "]");
    }
    Names(node.children[i], child, names);
  }
}

}  // namespace

bool TreeDef::Collect(nb::handle tree, std::vector<nb::object>& leaves) const {
  return py::Collect(*root_, tree, leaves);
}

void TreeDef::Names(const std::string& tree,
                    std::vector<std::string>& names) const {
  py::Names(*root_, tree, names);
}

}  // namespace sluice::py
