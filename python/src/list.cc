// List: tensors of one type in order, as a value.
#include "sluice/front/list.h"

#include "attr_value.h"
#include "bindings.h"
#include "errors.h"
#include "op_call.h"
#include "operand.h"
#include "sluice/base/strings.h"
#include "written_numbers.h"

namespace sluice::py {

namespace {

// A shape in which None and -1 are unknown sizes; None: everything is unknown.
PartialSizes ShapeOf(nb::handle shape) {
  if (shape.is_none()) return {};
  if (PyLong_Check(shape.ptr())) {
    return std::vector<int64_t>{nb::cast<int64_t>(shape)};
  }
  std::vector<int64_t> dims;
  for (nb::handle size : nb::iter(shape)) {
    if (size.is_none()) {
      dims.push_back(kUnknownDim);
      continue;
    }
    int64_t value = IntsFromPython(size, "List: shape").at(0);
    dims.push_back(value < 0 ? kUnknownDim : value);
  }
  return dims;
}

Operand Index(nb::handle index) {
  if (IsTensor(index)) return AsTensor(index);
  if (PyFloat_Check(index.ptr())) {
    ThrowTypeError("List: an index is a float; wanted a whole number");
  }
  return ToTensor(index, "List: an index");
}

Operand Element(const List& list, nb::handle x) {
  if (IsTensor(x)) return AsTensor(x);
  Given given = Take(x, "List: an element");
  if (given.tensor.defined() && given.weak) {
    return CallOne("Cast", {std::move(given)}, {{"dtype", list.dtype()}});
  }
  if (given.tensor.defined()) return given.tensor;
  if (given.weak) {
    CheckWritten(given.array, list.dtype(), "List: an element",
                 Negatives::kWrap);
    return CastArray(given.array, list.dtype());
  }
  return given.array;
}

// The element that a negative Python index selects.
Operand FromEnd(const List& list, nb::handle index) {
  if (!PyLong_Check(index.ptr())) return Index(index);
  int64_t at = IntsFromPython(index, "List: an index").at(0);
  if (at >= 0) return at;
  if (!list.tensor().symbolic()) return at + list.size().item<int64_t>();
  return ToTensor(nb::cast(list.size()).attr("__add__")(at), "List: an index");
}

// l[i]. An index past the end is detected if the size is known: a Python loop
// over a list ends this way.
Tensor Item(const List& list, nb::handle index) {
  if (PyLong_Check(index.ptr()) && !list.tensor().symbolic()) {
    int64_t at = IntsFromPython(index, "List: an index").at(0);
    int64_t size = list.size().item<int64_t>();
    if (at < -size || at >= size) {
      throw nb::index_error(StrCat("List: the index is ", at, "; the list has ",
                                   size, " elements")
                                .c_str());
    }
  }
  return list.get(FromEnd(list, index));
}

nb::object Iterate(const List& list) {
  if (list.tensor().symbolic()) {
    ThrowTypeError(
        "a List in a graph, whose size is not known, cannot be gone over; "
        "wanted a loop over its indices, or stack()");
  }
  nb::list elements;
  int64_t size = list.size().item<int64_t>();
  for (int64_t i = 0; i < size; ++i) elements.append(list.get(i));
  return nb::iter(elements);
}

std::string Text(const List& list) {
  std::string text = StrCat("List(", PythonName(list.dtype()));
  if (list.shape().rank_known()) {
    StrAppend(text, ", shape=", list.shape().ToString());
  }
  if (!list.tensor().symbolic()) {
    StrAppend(text, ", size=", list.size().item<int64_t>());
  }
  return text + ")";
}

using ListClass = nb::class_<List>;

// Constructors.
void BindMaking(ListClass& list) {
  list.def(
          "__init__",
          [](nb::pointer_and_handle<List> self, DType dtype, nb::handle shape) {
            new (self.p) List(dtype, ShapeOf(shape));
            if (const Graph* graph = GraphBehind(*self.p)) {
              KeepGraph(self.h, *graph);
            }
          },
          "dtype"_a, "shape"_a.none() = nb::none())
      .def_static(
          "sized",
          [](DType dtype, nb::handle size, nb::handle shape, int64_t max_size) {
            return List::sized(dtype, Index(size), ShapeOf(shape), max_size);
          },
          "dtype"_a, "size"_a, "shape"_a.none() = nb::none(), "max_size"_a = -1,
          "A list of so many elements, none of which is written: zeros, if\n"
          "their shape is known.")
      .def_static(
          "of",
          [](nb::handle x) { return List::of(ToTensor(x, "List.of: x")); },
          "x"_a, "The slices of x along its first axis.")
      .def_static(
          "split",
          [](nb::handle x, nb::handle lengths) {
            return List::split(ToTensor(x, "List.split: x"),
                               ToTensor(lengths, "List.split: lengths"));
          },
          "x"_a, "lengths"_a,
          "Stretches of x along its first axis, of these lengths.");
}

// Reading of elements.
void BindReading(ListClass& list) {
  list.def_prop_ro("dtype", &List::dtype, "The type of the elements.")
      .def_prop_ro("tensor", &List::tensor, "The tensor that holds the list.")
      .def_prop_ro("symbolic",
                   [](const List& l) { return l.tensor().symbolic(); })
      .def(
          "size", [](const List& l) { return l.size(); },
          "The number of elements, a tensor of int64.")
      .def(
          "get", [](const List& l, nb::handle i) { return Item(l, i); },
          "index"_a, "An element.")
      .def(
          "get_list",
          [](const List& l, nb::handle i, DType dtype, nb::handle shape) {
            return l.get_list(FromEnd(l, i), dtype, ShapeOf(shape));
          },
          "index"_a, "dtype"_a, "shape"_a.none() = nb::none(),
          "An element that is a list itself.")
      .def("__getitem__", &Item)
      .def("__iter__", &Iterate)
      .def("__len__", [](const List& l) -> size_t {
        if (l.tensor().symbolic()) {
          ThrowTypeError(
              "len() of a List in a graph, whose size is not known; "
              "wanted size()");
        }
        return static_cast<size_t>(l.size().item<int64_t>());
      });
}

// Modified copies.
void BindChanging(ListClass& list) {
  list.def(
          "append",
          [](const List& l, nb::handle x) {
            if (nb::isinstance<List>(x)) return l.append(nb::cast<List>(x));
            return l.append(Element(l, x));
          },
          "x"_a, "The list with x at its end.")
      .def(
          "set",
          [](const List& l, nb::handle i, nb::handle x) {
            return l.set(FromEnd(l, i), Element(l, x));
          },
          "index"_a, "x"_a,
          "The list with x there; an index beyond the end makes it longer.")
      .def(
          "pop", [](const List& l) { return l.pop(); },
          "The list without its last element, and that element.")
      .def(
          "resize",
          [](const List& l, nb::handle n) { return l.resize(Index(n)); },
          "size"_a, "Cut off, or with unwritten elements behind it.")
      .def(
          "scatter",
          [](const List& l, nb::handle indices, nb::handle xs) {
            return l.scatter(Index(indices), ToTensor(xs, "List.scatter: xs"));
          },
          "indices"_a, "xs"_a, "Slice k of xs as element indices[k].");
}

// The elements as one tensor.
void BindJoining(ListClass& list) {
  list.def(
          "stack", [](const List& l) { return l.stack(); },
          "The elements, of one shape, along a new first axis.")
      .def(
          "gather",
          [](const List& l, nb::handle indices) {
            return l.gather(Index(indices));
          },
          "indices"_a, "Some elements along a new first axis.")
      .def(
          "concat",
          [](const List& l) {
            List::Joined joined = l.concat();
            return nb::make_tuple(joined.values, joined.lengths);
          },
          "The elements one after the other along their first axis, and their\n"
          "lengths.");
}

}  // namespace

void BindList(nb::module_& m) {
  ListClass list(
      m, "List",
      "Tensors of one type in order, as a value: every call gives a new list\n"
      "and leaves this one as it was. Loops carry it, branches and functions\n"
      "return it. shape is what is known of every element: None for a size\n"
      "that differs, None alone for nothing.");
  BindMaking(list);
  BindReading(list);
  BindChanging(list);
  BindJoining(list);
  list.def("__repr__", &Text);
}

}  // namespace sluice::py
