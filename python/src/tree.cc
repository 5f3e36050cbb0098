#include "tree.h"

#include <algorithm>

#include "errors.h"
#include "operand.h"
#include "sluice/base/strings.h"
#include "sluice/front/list.h"
#include "tree_node.h"

namespace sluice::py {

namespace {

using Node = TreeDef::Node;
using Kind = Node::Kind;
constexpr int kMaxDepth = 1000;

// The keys of a dict, sorted if all are strings, and their insertion order.
void TakeKeys(nb::handle dict, Node& node) {
  std::vector<std::pair<nb::object, size_t>> keys;
  bool all_text = true;
  for (auto [key, value] : nb::borrow<nb::dict>(dict)) {
    keys.emplace_back(nb::borrow(key), keys.size());
    all_text = all_text && PyUnicode_Check(key.ptr());
  }
  if (all_text) {
    std::sort(keys.begin(), keys.end(), [](const auto& a, const auto& b) {
      return PyUnicode_Compare(a.first.ptr(), b.first.ptr()) < 0;
    });
  }
  node.order.resize(keys.size());
  for (size_t i = 0; i < keys.size(); ++i) {
    node.order[keys[i].second] = i;
    node.keys.push_back(std::move(keys[i].first));
  }
}

// `whole`: includes attributes besides fields and elements.
Node Take(nb::handle o, std::vector<nb::object>& leaves, int depth,
          bool whole) {
  if (depth > kMaxDepth) {
    ThrowValueError("a tree nested more than 1000 deep, or inside itself");
  }
  Node node;
  if (IsTensor(o)) {
    leaves.push_back(nb::borrow(o));
    return node;
  }
  auto child = [&](nb::handle c) {
    node.children.push_back(Take(c, leaves, depth + 1, whole));
  };
  auto beside = [&] {
    if (!whole) return;
    nb::object dict = DictOf(o);
    node.held = dict.is_valid() ? PyDict_Size(dict.ptr()) : 0;
    if (*node.held == 0) return;
    size_t fields = node.keys.size();
    for (auto [name, value] : nb::borrow<nb::dict>(dict)) {
      auto end = node.keys.begin() + static_cast<std::ptrdiff_t>(fields);
      bool field = std::any_of(node.keys.begin(), end, [&](const auto& key) {
        return key.equal(name);
      });
      if (!field) node.keys.push_back(nb::borrow(name));
    }
    node.beside = node.keys.size() - fields;
    for (size_t i = fields; i < node.keys.size(); ++i) {
      child(nb::object(nb::borrow<nb::dict>(dict)[node.keys[i]]));
    }
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
    beside();
  } else if (PyTuple_Check(o.ptr())) {
    node.kind = Kind::kTuple;
    if (whole && !PyTuple_CheckExact(o.ptr())) node.type = nb::borrow(o.type());
    for (nb::handle c : nb::borrow<nb::tuple>(o)) child(c);
    if (node.type.is_valid()) {
      beside();
    } else if (whole) {
      node.held = 0;
    }
  } else if (PyList_Check(o.ptr())) {
    node.kind = Kind::kList;
    // A child's code may change the list: its size is read each time.
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(o.ptr()); ++i) {
      child(nb::borrow(PyList_GET_ITEM(o.ptr(), i)));
    }
  } else if (PyDict_Check(o.ptr())) {
    node.kind = Kind::kDict;
    if (!PyDict_CheckExact(o.ptr())) {
      node.type = nb::borrow(o.type());
      if (nb::hasattr(o, "default_factory")) {
        node.aux = nb::getattr(o, "default_factory");
      }
    }
    TakeKeys(o, node);
    for (const nb::object& key : node.keys) {
      nb::object value = nb::borrow<nb::dict>(o)[key];
      child(value);
    }
  } else if (!PyType_Check(o.ptr()) && IsDataclass(o)) {
    node.kind = Kind::kFields;
    node.type = nb::borrow(o.type());
    nb::object fields = nb::getattr(o, "__dataclass_fields__");
    // A property of the class may run code, which may change the fields.
    for (auto [name, field] : nb::borrow<nb::dict>(fields)) {
      node.keys.push_back(nb::borrow(name));
    }
    for (size_t i = 0; i < node.keys.size(); ++i) {
      child(nb::getattr(o, node.keys[i]));
    }
    beside();
  } else if (IsList(o)) {
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

// Builds a dataclass object without __init__: the fields are known, and
// __post_init__ has already run. Empty if the class needs more.
nb::object WithoutInit(const nb::object& type) {
  nb::handle object(reinterpret_cast<PyObject*>(&PyBaseObject_Type));
  try {
    return object.attr("__new__")(type);
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_TypeError)) throw;
    return {};
  }
}

// A tuple of the class, without running user code.
nb::object NewTuple(const nb::object& type, const nb::list& elements) {
  nb::handle tuple(reinterpret_cast<PyObject*>(&PyTuple_Type));
  try {
    return tuple.attr("__new__")(type, nb::tuple(elements));
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_TypeError)) throw;
    return type(nb::tuple(elements));  // C types: time.struct_time
  }
}

void PutBeside(const Node& node, const nb::list& beside, nb::handle object) {
  if (node.beside == 0) return;
  auto dict = nb::borrow<nb::dict>(DictOf(object));
  size_t first = node.keys.size() - node.beside;
  for (size_t i = 0; i < node.beside; ++i) {
    dict[node.keys[first + i]] = beside[i];
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
    if (node.aux.is_valid()) return node.type(node.aux, dict);  // defaultdict
    if (node.type.is_valid()) return node.type(dict);  // OrderedDict, ...
    return dict;
  }
  nb::list children, beside;
  size_t plain = node.children.size() - node.beside;
  for (size_t i = 0; i < node.children.size(); ++i) {
    (i < plain ? children : beside).append(Build(node.children[i], next));
  }
  switch (node.kind) {
    case Kind::kTuple: {
      if (!node.type.is_valid()) return nb::tuple(children);
      nb::object made = NewTuple(node.type, children);
      PutBeside(node, beside, made);
      return made;
    }
    case Kind::kFields: {
      bool named_tuple =
          PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(node.type.ptr()),
                           &PyTuple_Type) != 0;
      nb::object made =
          named_tuple ? NewTuple(node.type, children) : WithoutInit(node.type);
      nb::dict by_name;
      for (size_t i = 0; !named_tuple && i < plain; ++i) {
        by_name[node.keys[i]] = children[i];
      }
      if (!made.is_valid()) {
        made = node.type(**by_name);
      } else if (!named_tuple) {
        nb::handle object(reinterpret_cast<PyObject*>(&PyBaseObject_Type));
        nb::object set = object.attr("__setattr__");  // for frozen ones, too
        for (auto [name, value] : by_name) set(made, name, value);
      }
      PutBeside(node, beside, made);
      return made;
    }
    case Kind::kCustom:
      return nb::cast<nb::tuple>(RegisteredTypes()[node.type])[1](
          node.aux, nb::tuple(children));
    default:
      return children;
  }
}

std::string KeyText(const Node& node, size_t i) {
  const nb::object& key = node.keys[i];
  return nb::cast<std::string>(node.kind == Kind::kDict ? nb::repr(key)
                                                        : nb::str(key));
}

void Print(const Node& node, std::string_view leaf, std::string& out) {
  auto children = [&](const char* open, const char* close, bool keyed) {
    out += open;
    for (size_t i = 0; i < node.children.size(); ++i) {
      if (i > 0) out += ", ";
      if (keyed) {
        StrAppend(out, KeyText(node, i), ": ");
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
  def.root_ = std::make_shared<Node>(Take(tree, leaves, 0, /*whole=*/false));
  def.num_leaves_ = leaves.size() - before;
  return def;
}

TreeDef TreeDef::FlattenWhole(nb::handle tree,
                              std::vector<nb::object>& leaves) {
  TreeDef def;
  size_t before = leaves.size();
  def.root_ = std::make_shared<Node>(Take(tree, leaves, 0, /*whole=*/true));
  def.num_leaves_ = leaves.size() - before;
  return def;
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
    leaves.push_back(t.defined() ? nb::cast(t) : nb::none());
  }
  return tree.Unflatten(leaves);
}

void BindTree(nb::module_& m) {
  nb::class_<TreeDef>(m, "TreeDef",
                      "The structure of a tree, without its leaves.")
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
        RegisteredTypes()[type] = nb::make_tuple(flatten, unflatten);
      },
      "type"_a, "flatten"_a, "unflatten"_a);
}

}  // namespace sluice::py
