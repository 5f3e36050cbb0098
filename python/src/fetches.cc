#include "fetches.h"

#include <cstring>

#include "errors.h"
#include "operand.h"
#include "sluice/base/strings.h"
#include "sluice/front/feed.h"

namespace sluice::py {

namespace {

constexpr int kMaxDepth = 64;
// The first word of a leaf.
enum Word : uint64_t { kValue = 1, kOperation, kName };

[[noreturn]] void NoTarget(nb::handle object, Place place) {
  ThrowTypeError(StrCat(place.ToString(), " is a ",
                        Py_TYPE(object.ptr())->tp_name,
                        "; wanted a Tensor, Operation or Variable of a graph, "
                        "or a name"));
}

// Throws UnicodeEncodeError, a ValueError, for a lone surrogate.
std::string_view Utf8(nb::handle text) {
  Py_ssize_t size = 0;
  const char* utf8 = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (!utf8) throw nb::python_error();
  return {utf8, static_cast<size_t>(size)};
}

// The graph tensor that an object is; empty if it is none.
Tensor GraphTensor(nb::handle object, Place place) {
  Tensor tensor;
  if (IsTensor(object)) {
    tensor = AsTensor(object);
    if (!tensor.defined())
      ThrowValueError(StrCat(place.ToString(), " is an empty Tensor"));
  } else if (Variable v; nb::try_cast<Variable>(object, v, false)) {
    tensor = v.value();
  } else {
    return {};
  }
  if (tensor.symbolic()) return tensor;
  ThrowTypeError(StrCat(place.ToString(),
                        " was made imperatively and is part of no graph; "
                        "wanted a value of the session's graph"));
}

}  // namespace

std::string Place::ToString() const { return StrCat(what, " ", number); }

void AddWords(nb::handle object, Place place, KeyWords& words) {
  if (Tensor tensor = GraphTensor(object, place); tensor.defined()) {
    Value value = tensor.value();
    words.push_back(kValue);
    words.push_back(reinterpret_cast<uintptr_t>(value.node));
    words.push_back(static_cast<uint64_t>(value.index));
  } else if (nb::isinstance<Operation>(object)) {
    words.push_back(kOperation);
    words.push_back(reinterpret_cast<uintptr_t>(
        &nb::cast<const Operation&>(object).node()));
  } else if (PyUnicode_Check(object.ptr())) {
    std::string_view name = Utf8(object);
    words.push_back(kName);
    words.push_back(name.size());
    for (size_t i = 0; i < name.size(); i += sizeof(uint64_t)) {
      uint64_t word = 0;
      std::memcpy(&word, name.data() + i,
                  std::min(sizeof(word), name.size() - i));
      words.push_back(word);
    }
  } else {
    NoTarget(object, place);
  }
}

Target FindTarget(Graph& graph, nb::handle object, Place place) {
  if (Tensor tensor = GraphTensor(object, place); tensor.defined()) {
    return {ValueOrThrow(Fetch(tensor).In(graph))};
  }
  if (nb::isinstance<Operation>(object)) {
    const Operation& operation = nb::cast<const Operation&>(object);
    if (&operation.graph() != &graph) {
      ThrowValueError(StrCat(place.ToString(), " is \"", operation.name(),
                             "\" of graph \"", operation.graph().name(),
                             "\"; wanted an operation of the session's, \"",
                             graph.name(), "\""));
    }
    ThrowIfError(InNoRegion(operation.node()));
    return {{}, &operation.node()};
  }
  if (!PyUnicode_Check(object.ptr())) NoTarget(object, place);
  std::string name(Utf8(object));
  if (name.empty())
    ThrowValueError(StrCat(place.ToString(), " is an empty name"));
  {
    MutexLock lock(graph.mu());
    Node* node = graph.FindNode(name);
    if (node && node->num_outputs() == 0) {
      ThrowIfError(InNoRegion(*node));
      return {{}, node};
    }
  }
  return {ValueOrThrow(Fetch(name).In(graph))};
}

FetchTree::FetchTree(nb::handle fetches, KeyWords& words) {
  if (fetches.is_none()) {
    ThrowTypeError(
        "fetches is None; wanted a Tensor, Operation, Variable or name, or a "
        "tree of them");
  }
  Walk(fetches, 0, words);
}

void FetchTree::Walk(nb::handle object, int depth, KeyWords& words) {
  PyObject* o = object.ptr();
  bool tuple = PyTuple_CheckExact(o), list = PyList_CheckExact(o);
  if (depth > kMaxDepth) {
    ThrowValueError(
        StrCat("fetches are nested more than ", kMaxDepth, " deep"));
  }
  if (tuple || list) {
    // A copy owns the elements: the caller's list may change in the meantime.
    nb::object elements = nb::steal(PySequence_Tuple(o));
    if (!elements.is_valid()) throw nb::python_error();
    auto count = static_cast<size_t>(PyTuple_GET_SIZE(elements.ptr()));
    parts_.push_back(
        {tuple ? Kind::kTuple : Kind::kList, static_cast<uint32_t>(count)});
    for (size_t i = 0; i < count; ++i) {
      Walk(PyTuple_GET_ITEM(elements.ptr(), static_cast<Py_ssize_t>(i)),
           depth + 1, words);
    }
    return;
  }
  bool leaf = IsTensor(object) || PyUnicode_Check(o) ||
              nb::isinstance<Operation>(object) ||
              nb::isinstance<Variable>(object);
  if (!leaf) {
    std::vector<nb::object> leaves;
    TreeDef tree = TreeDef::Flatten(object, leaves);
    bool itself = leaves.size() == 1 && leaves[0].ptr() == o;
    if (!itself) {
      parts_.push_back({Kind::kTree, static_cast<uint32_t>(trees_.size())});
      trees_.push_back(std::move(tree));
      for (const nb::object& inner : leaves) {
        AddWords(inner, {"fetch", leaves_.size()}, words);
        leaves_.push_back(inner);
      }
      return;
    }
  }
  AddWords(object, {"fetch", leaves_.size()}, words);
  parts_.push_back({Kind::kLeaf, 0});
  leaves_.push_back(nb::borrow(object));
}

nb::object FetchTree::Build(std::span<const nb::object>& results,
                            size_t& part) const {
  const Part& here = parts_[part++];
  auto next = [&] {
    nb::object first = results.front();
    results = results.subspan(1);
    return first;
  };
  switch (here.kind) {
    case Kind::kLeaf:
      return next();
    case Kind::kTree: {
      const TreeDef& tree = trees_[here.count];
      std::span<const nb::object> mine = results.first(tree.num_leaves());
      results = results.subspan(tree.num_leaves());
      return tree.Unflatten(mine);
    }
    default: {
      bool tuple = here.kind == Kind::kTuple;
      auto count = static_cast<Py_ssize_t>(here.count);
      nb::object made =
          nb::steal(tuple ? PyTuple_New(count) : PyList_New(count));
      if (!made.is_valid()) throw nb::python_error();
      for (Py_ssize_t i = 0; i < count; ++i) {
        PyObject* element = Build(results, part).release().ptr();
        if (tuple) {
          PyTuple_SET_ITEM(made.ptr(), i, element);
        } else {
          PyList_SET_ITEM(made.ptr(), i, element);
        }
      }
      return made;
    }
  }
}

nb::object FetchTree::Rebuild(std::span<const nb::object> results) const {
  size_t part = 0;
  return Build(results, part);
}

}  // namespace sluice::py
