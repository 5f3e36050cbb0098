#include "nested_list.h"

#include "errors.h"
#include "operand.h"
#include "sluice/base/strings.h"
#include "sluice/eager/constants.h"
#include "sluice/eager/default_float.h"
#include "sluice/ops.h"
#include "sluice/trace/region_draft.h"

namespace sluice::py {

namespace {

enum class Kind { kNothing, kBool, kInt, kFloat, kComplex, kString, kOther };

// The sizes of a regular nested list, and the kind of its elements.
struct Survey {
  std::vector<int64_t> sizes;
  Kind kind = Kind::kNothing;
  // Whether reading an element may run code of its class, which could change
  // the list being read.
  bool runs_code = false;

  void Element(PyObject* o) {
    runs_code =
        runs_code || !(PyFloat_CheckExact(o) || PyLong_CheckExact(o) ||
                       PyBool_Check(o) || PyComplex_CheckExact(o) ||
                       PyUnicode_CheckExact(o) || PyBytes_CheckExact(o));
    Kind k = PyBool_Check(o)                          ? Kind::kBool
             : PyLong_Check(o)                        ? Kind::kInt
             : PyFloat_Check(o)                       ? Kind::kFloat
             : PyComplex_Check(o)                     ? Kind::kComplex
             : PyUnicode_Check(o) || PyBytes_Check(o) ? Kind::kString
                                                      : Kind::kOther;
    bool mixed = kind != Kind::kNothing &&
                 (kind == Kind::kString) != (k == Kind::kString);
    kind = mixed ? Kind::kOther : std::max(kind, k);
  }
};

bool IsSequence(PyObject* o) { return PyList_Check(o) || PyTuple_Check(o); }

std::string PlaceText(const std::vector<int64_t>& place) {
  std::string text;
  for (int64_t i : place) StrAppend(text, "[", i, "]");
  return text;
}

void Walk(PyObject* o, size_t depth, std::vector<int64_t>& place,
          std::string_view what, Survey& survey) {
  if (depth > static_cast<size_t>(kMaxRank)) {
    ThrowValueError(
        StrCat(what, " is a list nested more than ", kMaxRank, " deep"));
  }
  if (!IsSequence(o)) {
    if (depth != survey.sizes.size()) {
      ThrowValueError(StrCat(what, PlaceText(place), " is a ",
                             Py_TYPE(o)->tp_name,
                             "; wanted a list as its neighbours are"));
    }
    survey.Element(o);
    return;
  }
  Py_ssize_t size = PySequence_Fast_GET_SIZE(o);
  bool first = true;
  for (int64_t i : place) first = first && i == 0;
  if (first && depth == survey.sizes.size()) {
    survey.sizes.push_back(size);
  } else if (depth >= survey.sizes.size()) {
    ThrowValueError(StrCat(what, PlaceText(place),
                           " is a list; wanted an element as its neighbours "
                           "are"));
  } else if (survey.sizes[depth] != size) {
    ThrowValueError(StrCat(what, PlaceText(place), " has ", size,
                           " elements; wanted ", survey.sizes[depth],
                           " as its neighbours have"));
  }
  PyObject** items = PySequence_Fast_ITEMS(o);
  for (Py_ssize_t i = 0; i < size; ++i) {
    place.push_back(i);
    Walk(items[i], depth + 1, place, what, survey);
    place.pop_back();
  }
}

// The list as nested tuples, which are immutable.
nb::object Frozen(PyObject* o) {
  if (!IsSequence(o)) return nb::borrow(o);
  // Not by iteration: a class's iterator may run code.
  nb::object rows =
      PyList_Check(o) ? nb::steal(PyList_AsTuple(o)) : nb::borrow(o);
  if (!rows.is_valid()) throw nb::python_error();
  Py_ssize_t size = PyTuple_GET_SIZE(rows.ptr());
  nb::object made = nb::steal(PyTuple_New(size));
  if (!made.is_valid()) throw nb::python_error();
  for (Py_ssize_t i = 0; i < size; ++i) {
    PyTuple_SET_ITEM(made.ptr(), i,
                     Frozen(PyTuple_GET_ITEM(rows.ptr(), i)).release().ptr());
  }
  return made;
}

// REQUIRES: nothing changes the list during the call.
template <class T, class Read>
void Fill(PyObject* o, T*& out, const Read& read) {
  if (!IsSequence(o)) {
    *out++ = read(o);
    return;
  }
  PyObject** items = PySequence_Fast_ITEMS(o);
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); ++i) {
    Fill(items[i], out, read);
  }
}

template <class T, class Read>
Array Filled(PyObject* o, const Shape& shape, const Read& read) {
  Array array = ValueOrThrow(Array::Make(DTypeOf<T>::value, shape));
  T* out = array.mutable_data<T>();
  Fill(o, out, read);
  return array;
}

std::string Text(PyObject* o) {
  if (PyBytes_Check(o)) {
    return std::string(PyBytes_AS_STRING(o),
                       static_cast<size_t>(PyBytes_GET_SIZE(o)));
  }
  return nb::cast<std::string>(nb::handle(o));
}

// i64, or u64 if all of them fit only there.
NestedList Ints(PyObject* o, const Shape& shape, std::string_view what) {
  bool large = false, too_large = false;
  Array made = Filled<int64_t>(o, shape, [&](PyObject* e) {
    int overflow = 0;
    int64_t value = PyLong_AsLongLongAndOverflow(e, &overflow);
    large = large || overflow > 0;
    too_large = too_large || overflow < 0;
    return value;
  });
  if (!large && !too_large) return {{}, made, true};
  if (!too_large) {
    made = Filled<uint64_t>(o, shape, [&](PyObject* e) -> uint64_t {
      uint64_t value = PyLong_AsUnsignedLongLong(e);
      if (!PyErr_Occurred()) return value;
      PyErr_Clear();
      too_large = true;
      return 0;
    });
  }
  if (too_large) {
    ThrowValueError(StrCat(
        what, " holds an int of more than 64 bits; wanted smaller ones"));
  }
  return {{}, made, true};
}

// Whether all elements are numbers, some of them computed by the function being
// recorded.
bool AllNumbers(PyObject* o) {
  if (!IsSequence(o)) {
    if (IsTensor(o)) return front_internal::IsNumber(AsTensor(o));
    return PyFloat_CheckExact(o) || PyLong_Check(o);
  }
  nb::object held = nb::steal(PySequence_Tuple(o));
  if (!held.is_valid()) throw nb::python_error();
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(held.ptr()); ++i) {
    if (!AllNumbers(PyTuple_GET_ITEM(held.ptr(), i))) return false;
  }
  return true;
}

// Numbers combined with tensors have their default type as tensors.
Tensor Leaf(PyObject* o, std::string_view what, bool numbers) {
  if (numbers && PyFloat_CheckExact(o)) {
    return constant(Literal(Array::Scalar<double>(PyFloat_AS_DOUBLE(o))));
  }
  Tensor made = ToTensor(o, what);
  bool wide = made.dtype() == DType::kF64 && front_internal::IsNumber(made);
  return wide && !numbers ? cast(made, front_internal::DefaultFloat()) : made;
}

// Elements that are arrays or tensors: stacked level by level.
Tensor Stacked(PyObject* o, std::string_view what, bool numbers) {
  if (!IsSequence(o)) return Leaf(o, what, numbers);
  std::vector<Tensor> parts;
  // Reading an element may run code that changes the list.
  nb::object held = nb::steal(PySequence_Tuple(o));
  if (!held.is_valid()) throw nb::python_error();
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(held.ptr()); ++i) {
    parts.push_back(Stacked(PyTuple_GET_ITEM(held.ptr(), i),
                            StrCat(what, "[", i, "]"), numbers));
  }
  if (parts.empty()) ThrowValueError(StrCat(what, " has become empty"));
  DType dtype = parts[0].dtype();
  for (const Tensor& part : parts) {
    bool strings = part.dtype() == DType::kString;
    if (strings != (dtype == DType::kString)) {
      ThrowTypeError(StrCat(what, " holds strings and numbers"));
    }
    dtype = Promote(dtype, part.dtype());
  }
  for (Tensor& part : parts) {
    if (part.dtype() != dtype) part = cast(part, dtype);
  }
  return stack(parts);
}

}  // namespace

Array StringScalar(nb::handle text) {
  return Array::Scalar<std::string>(Text(text.ptr()));
}

NestedList ReadNested(nb::handle list, std::string_view what) {
  PyObject* o = list.ptr();
  Survey survey;
  std::vector<int64_t> place;
  // Lists that contain arrays are checked when they are stacked.
  Walk(o, 0, place, what, survey);
  if (survey.kind == Kind::kOther) {
    bool numbers = AllNumbers(o);
    return {Stacked(o, what, numbers), {}, numbers};
  }
  nb::object frozen;  // no code has run yet: it is what was surveyed
  if (survey.runs_code) {
    frozen = Frozen(o);
    o = frozen.ptr();
  }
  Shape shape = ValueOrThrow(Shape::Make(survey.sizes));
  switch (survey.kind) {
    case Kind::kBool:
      return {{},
              Filled<bool>(o, shape, [](PyObject* e) { return e == Py_True; }),
              true};
    case Kind::kInt:
      return Ints(o, shape, what);
    case Kind::kComplex:
      return {{},
              Filled<complex64>(o, shape,
                                [](PyObject* e) {
                                  Py_complex v = PyComplex_AsCComplex(e);
                                  return complex64(static_cast<float>(v.real),
                                                   static_cast<float>(v.imag));
                                }),
              true};
    case Kind::kString:
      return {{}, Filled<std::string>(o, shape, Text), false};
    default:  // floats; an empty list is one of floats
      return {{},
              Filled<double>(o, shape,
                             [](PyObject* e) {
                               double v = PyFloat_AsDouble(e);
                               if (v == -1 && PyErr_Occurred())
                                 throw nb::python_error();
                               return v;
                             }),
              true};
  }
}

}  // namespace sluice::py
