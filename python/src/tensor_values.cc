#include "tensor_values.h"

#include <complex>
#include <optional>

#include "caller_line.h"
#include "errors.h"
#include "operand.h"
#include "recorder.h"
#include "size.h"
#include "sluice/base/strings.h"
#include "sluice/eager/call_device.h"
#include "sluice/eager/recording.h"
#include "sluice/trace/decisions.h"
#include "tensor.h"
#include "weak_numbers.h"

namespace sluice::py {

namespace {

template <class T>
T At(const void* element) {
  return *static_cast<const T*>(element);
}

nb::object ListOf(const Array& a, int axis, const char* at) {
  int64_t step = a.strides()[static_cast<size_t>(axis)] * DTypeSize(a.dtype());
  int64_t size = a.dim(axis);
  nb::object list = nb::steal(PyList_New(size));
  if (!list.is_valid()) throw nb::python_error();
  bool last = axis + 1 == a.rank();
  for (int64_t i = 0; i < size; ++i, at += step) {
    nb::object made =
        last ? ElementToPython(a.dtype(), at) : ListOf(a, axis + 1, at);
    PyList_SET_ITEM(list.ptr(), i, made.release().ptr());
  }
  return list;
}

nb::object ToList(const Tensor& t) {
  const Array a = ElementsNow(t, "tolist()");
  if (a.rank() == 0) return ElementToPython(a.dtype(), a.raw());
  return ListOf(a, 0, static_cast<const char*>(a.raw()));
}

// item(), item(3), item(1, 2), like numpy.
nb::object Item(const Tensor& t, const nb::args& places) {
  if (places.size() == 0) return OnlyElement(t, "item()");
  const Array a = ElementsNow(t, "item()");
  nb::object index = nb::borrow(places);
  if (places.size() == 1 && !PyTuple_Check(nb::object(places[0]).ptr())) {
    nb::object flat = nb::cast(t).attr("reshape")(-1);
    return OnlyElement(nb::cast<Tensor>(flat[places[0]]), "item()");
  }
  if (places.size() == 1) index = places[0];
  if (nb::len(index) != static_cast<size_t>(a.rank())) {
    ThrowValueError(StrCat("item(): ", nb::len(index),
                           " indices for a tensor of shape ", a.shape(),
                           "; wanted ", a.rank()));
  }
  return OnlyElement(nb::cast<Tensor>(nb::cast(t)[index]), "item()");
}

template <class F>
auto Guarded(const F& f) -> decltype(f()) {
  try {
    return f();
  } catch (...) {
    SetPythonError();
    if constexpr (std::is_pointer_v<decltype(f())>) {
      return nullptr;
    } else {
      return -1;
    }
  }
}

}  // namespace

nb::object ElementToPython(DType dtype, const void* e) {
  switch (dtype) {
    case DType::kF32:
      return nb::steal(PyFloat_FromDouble(static_cast<double>(At<float>(e))));
    case DType::kF64:
      return nb::steal(PyFloat_FromDouble(At<double>(e)));
    case DType::kF16:
      return nb::steal(PyFloat_FromDouble(static_cast<float>(At<f16>(e))));
    case DType::kBF16:
      return nb::steal(PyFloat_FromDouble(static_cast<float>(At<bf16>(e))));
    case DType::kI8:
      return nb::steal(PyLong_FromLong(At<int8_t>(e)));
    case DType::kI16:
      return nb::steal(PyLong_FromLong(At<int16_t>(e)));
    case DType::kI32:
      return nb::steal(PyLong_FromLong(At<int32_t>(e)));
    case DType::kI64:
      return nb::steal(PyLong_FromLongLong(At<int64_t>(e)));
    case DType::kU8:
      return nb::steal(PyLong_FromLong(At<uint8_t>(e)));
    case DType::kU16:
      return nb::steal(PyLong_FromLong(At<uint16_t>(e)));
    case DType::kU32:
      return nb::steal(PyLong_FromUnsignedLong(At<uint32_t>(e)));
    case DType::kU64:
      return nb::steal(PyLong_FromUnsignedLongLong(At<uint64_t>(e)));
    case DType::kBool:
      return nb::steal(PyBool_FromLong(At<bool>(e)));
    case DType::kC64: {
      auto c = At<complex64>(e);
      return nb::steal(PyComplex_FromDoubles(static_cast<double>(c.real()),
                                             static_cast<double>(c.imag())));
    }
    case DType::kString: {
      const auto& s = *static_cast<const std::string*>(e);
      return nb::steal(PyBytes_FromStringAndSize(
          s.data(), static_cast<Py_ssize_t>(s.size())));
    }
    default:
      ThrowTypeError(StrCat("elements of type ", DTypeName(dtype),
                            " are no Python objects"));
  }
}

const Array& OwnArrayOf(const Tensor& tensor, std::string_view what) {
  if (!tensor.defined()) {
    ThrowValueError(StrCat(what, " of a Tensor that holds nothing"));
  }
  if (tensor.symbolic()) {
    std::string text = StrCat(
        what, " of <Tensor ", tensor.ToString(),
        ">, which is part of a graph: its elements are there only while a step "
        "runs. Wanted sluice.cond or sluice.while_loop in place of if or while "
        "(a function under @sluice.function has them converted), or "
        "Session.run to get its value");
    // The code being recorded may handle the exception, but must not continue.
    nb::object recorder = CurrentRecorder();
    if (recorder.is_valid()) recorder.attr("wanted") = text;
    ThrowTypeError(text);
  }
  if (Recording* recording = Recording::Open()) {
    recording->NoteElements(tensor.eager());
  }
  return tensor.array();
}

Array ElementsOf(const Tensor& tensor, std::string_view what) {
  return ValueOrThrow(OnHost(OwnArrayOf(tensor, what)));
}

std::optional<Array> DecidedElements(const Tensor& tensor) {
  Decisions* here = tensor.symbolic() ? Decisions::OfBranches() : nullptr;
  if (!here) return std::nullopt;
  std::optional<Array> now = here->Decide(tensor, PythonLine());
  if (!now) return std::nullopt;
  return ValueOrThrow(OnHost(*now));
}

Array ElementsNow(const Tensor& tensor, std::string_view what) {
  if (!tensor.defined() || !tensor.symbolic()) return ElementsOf(tensor, what);
  if (std::optional<Array> now = DecidedElements(tensor)) return *now;
  // Recorded again, with decisions by value, except for a number argument of
  // the function, which is then passed as a Python number.
  nb::object recorder = CurrentRecorder();
  if (recorder.is_valid() && !WeakNumbers::IsGiven(tensor)) {
    recorder.attr("chose") = true;
  }
  return ElementsOf(tensor, what);
}

const Array& SharedElementsOf(const Tensor& tensor, std::string_view what) {
  const Array& array = OwnArrayOf(tensor, what);
  if (!array.on_host()) {
    ThrowTypeError(StrCat(what, " of a tensor on ", tensor.device(),
                          " cannot share its memory; wanted cpu() before it"));
  }
  return array;
}

nb::object OnlyElement(const Tensor& tensor, std::string_view what) {
  const Array a = ElementsNow(tensor, what);
  if (a.num_elements() != 1) {
    ThrowValueError(StrCat(what, " of a tensor of shape ", a.shape(),
                           "; wanted one element"));
  }
  return ElementToPython(a.dtype(), a.raw());
}

int TensorTruth(PyObject* self) {
  return Guarded([&]() -> int {
    const Tensor& t = AsTensor(self);
    const Array a = ElementsNow(t, "bool()");
    if (a.num_elements() != 1) {
      ThrowValueError(StrCat("bool() of a tensor of shape ", a.shape(),
                             " has no one answer; wanted any() or all()"));
    }
    return PyObject_IsTrue(ElementToPython(a.dtype(), a.raw()).ptr());
  });
}

PyObject* TensorInt(PyObject* self) {
  return Guarded([&] {
    nb::object element = OnlyElement(AsTensor(self), "int()");
    return PyNumber_Long(element.ptr());
  });
}

PyObject* TensorFloat(PyObject* self) {
  return Guarded([&] {
    nb::object element = OnlyElement(AsTensor(self), "float()");
    return PyNumber_Float(element.ptr());
  });
}

PyObject* TensorIndex(PyObject* self) {
  return Guarded([&]() -> PyObject* {
    const Tensor& t = AsTensor(self);
    const Array a = ElementsNow(t, "an index");
    if (!IsInteger(a.dtype()) || a.num_elements() != 1) {
      ThrowTypeError(StrCat("a tensor of ", a.TypeText(),
                            " cannot be used as an index; wanted one integer"));
    }
    return ElementToPython(a.dtype(), a.raw()).release().ptr();
  });
}

Py_ssize_t TensorLength(PyObject* self) {
  return Guarded([&]() -> Py_ssize_t {
    const Tensor& t = AsTensor(self);
    PartialShape shape = t.shape();
    if (shape.rank() == 0) ThrowTypeError("len() of a tensor without axes");
    if (shape.rank_known() && shape.dim(0) < 0) {
      // In a function being recorded, len() decides the size.
      nb::object size = SizeOfAxis(t, 0);
      if (!size.is_none()) {
        Py_ssize_t now = PyNumber_AsSsize_t(size.ptr(), PyExc_OverflowError);
        if (now == -1 && PyErr_Occurred()) throw nb::python_error();
        return now;
      }
    }
    if (!shape.rank_known() || shape.dim(0) < 0) {
      ThrowTypeError(StrCat("len() of <Tensor ", t.ToString(),
                            ">, the size of which is known only while a step "
                            "runs; wanted sluice.shape(t)[0]"));
    }
    return shape.dim(0);
  });
}

void BindTensorValues(nb::module_&) {
  TensorClass()
      .def("item", &Item, "places"_a,
           "The one element of this tensor, or that at an index, as a Python "
           "number.")
      .def("tolist", &ToList, "The elements as nested lists of Python numbers.")
      .def("__complex__",
           [](const Tensor& t) {
             nb::object element = OnlyElement(t, "complex()");
             Py_complex c = PyComplex_AsCComplex(element.ptr());
             if (PyErr_Occurred()) throw nb::python_error();
             return nb::steal(PyComplex_FromCComplex(c));
           })
      .def("__format__", [](nb::handle self, nb::str how) -> nb::object {
        const Tensor& t = AsTensor(self);
        if (nb::len(how) == 0) return nb::str(self);
        if (!t.symbolic() && t.num_elements() != 1) {
          ThrowTypeError("only a tensor of one element takes a format");
        }
        nb::object element = OnlyElement(t, "format()");
        return nb::steal(PyObject_Format(element.ptr(), how.ptr()));
      });
}

}  // namespace sluice::py
