#include "tree.h"

#include <algorithm>

#include "errors.h"
#include "operand.h"
#include "sluice/base/strings.h"
#include "sluice/front/list.h"

namespace sluice::py {

struct TreeDef::Node {
  enum class Kind {
    kLeaf,
    kNone,
    kTuple,
    kList,
    kDict,
    kFields,
    kCustom,
    kTensorList,  // sluice::List
  };
  Kind kind = Kind::kLeaf;
  nb::object type;                // of named tuples, dataclasses, registered
  std::vector<nb::object> keys;   // of dicts; names of fields
  std::vector<size_t> order;      // of dicts: the keys as they were put in
  nb::object aux;                 // of registered types
  DType dtype = DType::kInvalid;  // of a List's elements, and their shape
  PartialShape shape;
  std::vector<Node> children;

  bool operator==(const Node& o) const {
    return kind == o.kind && dtype == o.dtype && type.is(o.type) &&
           keys.size() == o.keys.size() &&
           std::equal(keys.begin(), keys.end(), o.keys.begin(),
                      [](const nb::object& a, const nb::object& b) {
                        return a.equal(b);
                      }) &&
           (!aux.is_valid() || aux.equal(o.aux)) && children == o.children;
  }
};

namespace {

using Node = TreeDef::Node;
using Kind = Node::Kind;
constexpr int kMaxDepth = 1000;

// type -> (flatten, unflatten). Never destroyed: it holds Python objects.
nb::dict& Registered() {
  static auto& types = *new nb::dict;
  return types;
}

// Children and the rest, as the class has told to take its objects apart.
nb::tuple CustomParts(nb::handle o) {
  return nb::cast<nb::tuple>(nb::cast<nb::tuple>(Registered()[o.type()])[0](o));
}

bool IsCustom(nb::handle o) {
  nb::dict& registered = Registered();
  return registered.size() > 0 && registered.contains(o.type());
}

bool IsNamedTuple(nb::handle o) {
  return PyTuple_Check(o.ptr()) && nb::hasattr(o, "_fields");
}

bool IsDataclass(nb::handle o) {
  return nb::hasattr(o.type(), "__dataclass_fields__");
}

std::vector<nb::object> SortedKeys(nb::handle dict) {
  std::vector<nb::object> keys;
  bool all_text = true;
  for (auto [key, value] : nb::borrow<nb::dict>(dict)) {
    keys.push_back(nb::borrow(key));
    all_text = all_text && PyUnicode_Check(key.ptr());
  }
  if (all_text) {
    std::sort(keys.begin(), keys.end(),
              [](const nb::object& a, const nb::object& b) {
                return PyUnicode_Compare(a.ptr(), b.ptr()) < 0;
              });
  }
  return keys;
}

Node Take(nb::handle o, std::vector<nb::object>& leaves, int depth) {
  if (depth > kMaxDepth) {
    ThrowValueError("a tree nested more than 1000 deep, or inside itself");
  }
  Node node;
  if (IsTensor(o)) {
    leaves.push_back(nb::borrow(o));
    return node;
  }
  auto child = [&](nb::handle c) {
    node.children.push_back(Take(c, leaves, depth + 1));
  };
  if (IsCustom(o)) {
    node.kind = Kind::kCustom;
    node.type = nb::borrow(o.type());
    nb::tuple parts = CustomParts(o);
    for (nb::handle c : nb::iter(parts[0])) child(c);
    node.aux = nb::borrow(parts[1]);
  } else if (o.is_none()) {
    node.kind = Kind::kNone;
  } else if (IsNamedTuple(o)) {
    node.kind = Kind::kFields;
    node.type = nb::borrow(o.type());
    for (nb::handle name : nb::iter(nb::getattr(o, "_fields"))) {
      node.keys.push_back(nb::borrow(name));
    }
    for (nb::handle c : nb::borrow<nb::tuple>(o)) child(c);
  } else if (PyTuple_Check(o.ptr())) {
    node.kind = Kind::kTuple;
    for (nb::handle c : nb::borrow<nb::tuple>(o)) child(c);
  } else if (PyList_Check(o.ptr())) {
    node.kind = Kind::kList;
    for (nb::handle c : nb::borrow<nb::list>(o)) child(c);
  } else if (PyDict_Check(o.ptr())) {
    node.kind = Kind::kDict;
    if (!PyDict_CheckExact(o.ptr())) node.type = nb::borrow(o.type());
    node.keys = SortedKeys(o);
    for (auto [key, value] : nb::borrow<nb::dict>(o)) {
      for (size_t i = 0; i < node.keys.size(); ++i) {
        if (node.keys[i].is(key)) node.order.push_back(i);
      }
    }
    for (const nb::object& key : node.keys) {
      child(nb::borrow<nb::dict>(o)[key]);
    }
  } else if (!PyType_Check(o.ptr()) && IsDataclass(o)) {
    node.kind = Kind::kFields;
    node.type = nb::borrow(o.type());
    nb::object fields = nb::getattr(o, "__dataclass_fields__");
    for (auto [name, field] : nb::borrow<nb::dict>(fields)) {
      node.keys.push_back(nb::borrow(name));
      child(nb::getattr(o, name));
    }
  } else if (nb::isinstance<List>(o)) {
    const List& list = *nb::inst_ptr<List>(o);
    node.kind = Kind::kTensorList;
    node.dtype = list.dtype();
    node.shape = list.shape();
    leaves.push_back(nb::cast(list.tensor()));
  } else {
    leaves.push_back(nb::borrow(o));
  }
  return node;
}

bool IsLeaf(nb::handle o) {
  if (IsTensor(o)) return true;
  PyTypeObject* type = Py_TYPE(o.ptr());
  if (type == &PyLong_Type || type == &PyFloat_Type || type == &PyBool_Type ||
      type == &PyUnicode_Type) {
    return true;
  }
  return !o.is_none() && !PyTuple_Check(o.ptr()) && !PyList_Check(o.ptr()) &&
         !PyDict_Check(o.ptr()) && !IsCustom(o) && !nb::isinstance<List>(o) &&
         (PyType_Check(o.ptr()) || !IsDataclass(o));
}

bool Collect(const Node& node, nb::handle o, std::vector<nb::object>& leaves) {
  const auto count = static_cast<Py_ssize_t>(node.children.size());
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
          (!PyTuple_CheckExact(o.ptr()) && (IsNamedTuple(o) || IsCustom(o)))) {
        return false;
      }
      for (Py_ssize_t i = 0; i < count; ++i) {
        if (!child(i, PyTuple_GET_ITEM(o.ptr(), i))) return false;
      }
      return true;
    case Kind::kList:
      if (!PyList_Check(o.ptr()) ||
          (!PyList_CheckExact(o.ptr()) && IsCustom(o))) {
        return false;
      }
      for (Py_ssize_t i = 0; i < count; ++i) {
        // Code of a child may have changed it.
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
      return true;
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
      if (!nb::isinstance<List>(o)) return false;
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
    if (node.kind == Kind::kFields) {
      child = StrCat(path, ".", nb::cast<std::string>(nb::str(node.keys[i])));
    } else if (node.kind == Kind::kDict) {
      child =
          StrCat(path, "[", nb::cast<std::string>(nb::repr(node.keys[i])), "]");
    }
    Names(node.children[i], child, names);
  }
}

nb::object Build(const Node& node, const nb::object*& next) {
  if (node.kind == Kind::kLeaf) return *next++;
  if (node.kind == Kind::kNone) return nb::none();
  if (node.kind == Kind::kTensorList) {
    const nb::object& leaf = *next++;
    if (!IsTensor(leaf)) {
      ThrowTypeError("the leaf of a List is its tensor; got another object");
    }
    return nb::cast(List(AsTensor(leaf), node.dtype, node.shape));
  }
  if (node.kind == Kind::kDict) {
    std::vector<nb::object> values;
    for (const Node& child : node.children) {
      values.push_back(Build(child, next));
    }
    nb::dict dict;
    for (size_t i : node.order) dict[node.keys[i]] = values[i];
    if (node.type.is_valid()) return node.type(dict);  // OrderedDict, ...
    return dict;
  }
  nb::list children;
  for (const Node& child : node.children) children.append(Build(child, next));
  switch (node.kind) {
    case Kind::kTuple:
      return nb::tuple(children);
    case Kind::kFields: {
      nb::dict by_name;
      for (size_t i = 0; i < node.keys.size(); ++i) {
        by_name[node.keys[i]] = children[i];
      }
      return node.type(**by_name);
    }
    case Kind::kCustom:
      return nb::cast<nb::tuple>(Registered()[node.type])[1](
          node.aux, nb::tuple(children));
    default:
      return children;
  }
}

void Print(const Node& node, std::string_view leaf, std::string& out) {
  auto children = [&](const char* open, const char* close, bool keyed) {
    out += open;
    for (size_t i = 0; i < node.children.size(); ++i) {
      if (i > 0) out += ", ";
      if (keyed) {
        StrAppend(out, nb::cast<std::string>(nb::str(node.keys[i])), ": ");
      }
      Print(node.children[i], leaf, out);
    }
    out += close;
  };
  if (node.type.is_valid()) {
    out += nb::cast<std::string>(nb::getattr(node.type, "__name__"));
  }
  switch (node.kind) {
    case Kind::kLeaf:
      out += leaf;
      break;
    case Kind::kTensorList:
      StrAppend(out, "List of ", DTypeName(node.dtype));
      break;
    case Kind::kNone:
      out += "None";
      break;
    case Kind::kList:
      children("[", "]", false);
      break;
    case Kind::kDict:
      children("{", "}", true);
      break;
    case Kind::kFields:
      children("(", ")", true);
      break;
    default:
      children("(", ")", false);
  }
}

}  // namespace

TreeDef TreeDef::Flatten(nb::handle tree, std::vector<nb::object>& leaves) {
  TreeDef def;
  size_t before = leaves.size();
  def.root_ = std::make_shared<Node>(Take(tree, leaves, 0));
  def.num_leaves_ = leaves.size() - before;
  return def;
}

bool TreeDef::Collect(nb::handle tree, std::vector<nb::object>& leaves) const {
  return py::Collect(*root_, tree, leaves);
}

void TreeDef::Names(const std::string& tree,
                    std::vector<std::string>& names) const {
  py::Names(*root_, tree, names);
}

nb::object TreeDef::Unflatten(std::span<const nb::object> leaves) const {
  if (leaves.size() != num_leaves_) {
    ThrowValueError(StrCat("a tree ", ToString(), " of ", num_leaves_,
                           " leaves was given ", leaves.size()));
  }
  const nb::object* next = leaves.data();
  return Build(*root_, next);
}

bool TreeDef::operator==(const TreeDef& o) const {
  return num_leaves_ == o.num_leaves_ && *root_ == *o.root_;
}

std::string TreeDef::ToString(std::string_view leaf) const {
  std::string text;
  Print(*root_, leaf, text);
  return text;
}

TreeDef FlattenTensors(nb::handle tree, std::string_view what,
                       std::vector<Tensor>& tensors) {
  std::vector<nb::object> leaves;
  TreeDef def = TreeDef::Flatten(tree, leaves);
  for (const nb::object& leaf : leaves) {
    tensors.push_back(ToTensor(leaf, what));
  }
  return def;
}

nb::object UnflattenTensors(const TreeDef& tree,
                            const std::vector<Tensor>& tensors) {
  std::vector<nb::object> leaves;
  for (const Tensor& t : tensors) {
    leaves.push_back(t ? nb::cast(t) : nb::none());
  }
  return tree.Unflatten(leaves);
}

void BindTree(nb::module_& m) {
  nb::class_<TreeDef>(m, "TreeDef")
      .def_prop_ro("num_leaves", &TreeDef::num_leaves)
      .def(
          "__eq__",
          [](const TreeDef& a, nb::handle b) {
            return nb::isinstance<TreeDef>(b) && a == nb::cast<TreeDef&>(b);
          },
          "other"_a.none())
      .def("__hash__",
           [](const TreeDef& t) {
             return std::hash<std::string>()(t.ToString()) >> 1;
           })
      .def("__repr__",
           [](const TreeDef& t) { return "TreeDef(" + t.ToString() + ")"; })
      .def(
          "unflatten",
          [](const TreeDef& t, nb::iterable leaves) {
            std::vector<nb::object> list;
            for (nb::handle leaf : leaves) list.push_back(nb::borrow(leaf));
            return t.Unflatten(list);
          },
          "leaves"_a);
  m.def(
      "tree_flatten",
      [](nb::handle tree) {
        std::vector<nb::object> leaves;
        TreeDef def = TreeDef::Flatten(tree, leaves);
        nb::list list;
        for (nb::object& leaf : leaves) list.append(std::move(leaf));
        return nb::make_tuple(list, def);
      },
      "tree"_a.none());
  m.def(
      "tree_register",
      [](nb::type_object type, nb::callable flatten, nb::callable unflatten) {
        Registered()[type] = nb::make_tuple(flatten, unflatten);
      },
      "type"_a, "flatten"_a, "unflatten"_a);
}

}  // namespace sluice::py
