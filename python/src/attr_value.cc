#include "attr_value.h"

#include "dtype.h"
#include "errors.h"
#include "operand.h"
#include "sluice/base/strings.h"

namespace sluice::py {

namespace {

// The attribute's name for messages. Built only for an error: it costs more
// than the call.
struct What {
  std::string_view text;
  const OpRecord* op = nullptr;
  const AttrSpec* spec = nullptr;
  operator std::string() const {
    return op ? StrCat("[", op->name, "] ", spec->name) : std::string(text);
  }
};

std::string TypeName(nb::handle o) { return Py_TYPE(o.ptr())->tp_name; }

int64_t Whole(nb::handle object, const What& what) {
  if (PyBool_Check(object.ptr()) || !PyIndex_Check(object.ptr())) {
    ThrowTypeError(StrCat(std::string(what), " is a ", TypeName(object),
                          "; wanted an int"));
  }
  Py_ssize_t value = PyNumber_AsSsize_t(object.ptr(), PyExc_OverflowError);
  if (value == -1 && PyErr_Occurred()) throw nb::python_error();
  return value;
}

double Number(nb::handle object, const What& what) {
  double value = PyFloat_AsDouble(object.ptr());
  if (value == -1 && PyErr_Occurred()) {
    PyErr_Clear();
    ThrowTypeError(StrCat(std::string(what), " is a ", TypeName(object),
                          "; wanted a number"));
  }
  return value;
}

PartialShape ShapeFromPython(nb::handle object, const What& what) {
  if (object.is_none()) return PartialShape();
  std::vector<int64_t> sizes;
  if (PyIndex_Check(object.ptr())) {
    sizes.push_back(Whole(object, what));
  } else {
    for (nb::handle size : nb::iter(object)) {
      sizes.push_back(size.is_none() ? kUnknownDim : Whole(size, what));
    }
  }
  return ValueOrThrow(PartialShape::Make(sizes));
}

template <class Read>
auto ListOf(nb::handle object, const What& what, const Read& read) {
  std::vector<decltype(read(object, what))> list;
  if (PyUnicode_Check(object.ptr()) || !nb::hasattr(object, "__iter__")) {
    list.push_back(read(object, what));
    return list;
  }
  for (nb::handle element : nb::iter(object)) {
    list.push_back(read(element, what));
  }
  return list;
}

std::string Text(nb::handle object, const What& what) {
  if (!PyUnicode_Check(object.ptr())) {
    ThrowTypeError(StrCat(std::string(what), " is a ", TypeName(object),
                          "; wanted a str"));
  }
  return nb::cast<std::string>(object);
}

std::vector<int64_t> Ints(nb::handle object, const What& what) {
  if (PyIndex_Check(object.ptr()) && !IsTensor(object)) {
    return {Whole(object, what)};
  }
  if (IsTensor(object) || !nb::hasattr(object, "__iter__")) {
    Array array = ArrayOf(object, std::string(what));
    // For 1.5, the fraction would be dropped silently.
    if (!IsInteger(array.dtype()) && array.num_elements() > 0) {
      ThrowTypeError(StrCat(std::string(what), " is a ", TypeName(object),
                            IsTensor(object)
                                ? StrCat(" of ", PythonName(array.dtype()))
                                : std::string(),
                            "; wanted ints"));
    }
    array = CastArray(array, DType::kI64);
    return {array.data<int64_t>(),
            array.data<int64_t>() + array.num_elements()};
  }
  return ListOf(object, what, Whole);
}

}  // namespace

std::vector<int64_t> IntsFromPython(nb::handle object, std::string_view what) {
  return Ints(object, What{what});
}

AttrValue AttrFromPython(const OpRecord& op, const AttrSpec& spec,
                         nb::handle object) {
  What what{{}, &op, &spec};
  switch (spec.kind) {
    case AttrKind::kBool: {
      // A str, float or type in its place was meant for another parameter.
      const PyNumberMethods* number = Py_TYPE(object.ptr())->tp_as_number;
      if (PyFloat_Check(object.ptr()) || !number || !number->nb_bool) {
        ThrowTypeError(StrCat(std::string(what), " is a ", TypeName(object),
                              "; wanted a bool"));
      }
      int truth = PyObject_IsTrue(object.ptr());
      if (truth < 0) throw nb::python_error();
      return truth != 0;
    }
    case AttrKind::kInt:
      return Whole(object, what);
    case AttrKind::kFloat:
      return Number(object, what);
    case AttrKind::kString:
      return Text(object, what);
    case AttrKind::kDType:
      return DTypeFromPython(object);
    case AttrKind::kShape:
      return ShapeFromPython(object, what);
    case AttrKind::kArray:
      return ArrayOf(object, std::string(what));
    case AttrKind::kInts:
      return Ints(object, what);
    case AttrKind::kFloats:
      return ListOf(object, what, Number);
    case AttrKind::kStrings:
      return ListOf(object, what, Text);
    case AttrKind::kDTypes:
      return ListOf(object, what, [](nb::handle o, const What&) {
        return DTypeFromPython(o);
      });
    case AttrKind::kShapes: {
      std::vector<PartialShape> shapes;
      for (nb::handle shape : nb::iter(object)) {
        shapes.push_back(ShapeFromPython(shape, what));
      }
      return shapes;
    }
    case AttrKind::kNone:
      break;
  }
  ThrowTypeError(std::string(what) + " cannot be given from Python");
}

namespace {

nb::object ToPython(std::monostate) { return nb::none(); }
nb::object ToPython(bool v) { return nb::cast(v); }
nb::object ToPython(int64_t v) { return nb::cast(v); }
nb::object ToPython(double v) { return nb::cast(v); }
nb::object ToPython(const std::string& v) { return nb::cast(v); }
nb::object ToPython(DType v) { return PythonDType(v); }
nb::object ToPython(const PartialShape& v) {
  if (!v.rank_known()) return nb::none();
  nb::list sizes;
  for (int64_t d : v.dims()) {
    if (d == kUnknownDim) {
      sizes.append(nb::none());
    } else {
      sizes.append(d);
    }
  }
  return nb::tuple(sizes);
}
nb::object ToPython(const Array& v) { return nb::cast(TensorOf(v)); }
template <class T>
nb::object ToPython(const std::vector<T>& v) {
  nb::list list;
  for (const T& x : v) list.append(ToPython(x));
  return nb::tuple(list);
}

}  // namespace

nb::object AttrToPython(const AttrValue& value) {
  return std::visit([](const auto& v) { return ToPython(v); }, value.variant());
}

}  // namespace sluice::py
