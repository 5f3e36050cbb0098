#include "foreign_array.h"

#include "dtype.h"
#include "errors.h"
#include "nested_list.h"
#include "numpy_view.h"
#include "sluice/base/strings.h"
#include "sluice/tensor/strided.h"

namespace sluice::py {

namespace {

// numpy, if the program has loaded it: otherwise there are no numpy arrays.
nb::object Numpy() {
  PyObject* modules = PyImport_GetModuleDict();  // borrowed
  PyObject* found = PyDict_GetItemString(modules, "numpy");
  return found ? nb::borrow(found) : nb::none();
}

bool IsInstance(nb::handle object, const nb::object& numpy, const char* cls) {
  if (numpy.is_none() || !nb::hasattr(numpy, cls)) return false;
  int is = PyObject_IsInstance(object.ptr(), nb::getattr(numpy, cls).ptr());
  if (is < 0) PyErr_Clear();
  return is == 1;
}

std::function<void()> LetGoOf(nb::handle owner) {
  PyObject* held = owner.inc_ref().ptr();
  return [held] { Py_DECREF(held); };
}

std::string NameOf(nb::handle dtype) {
  return nb::cast<std::string>(nb::str(dtype));
}

// Strings, as bytes or str, in any shape.
OutsideArray TextArray(nb::handle array) {
  nb::object elements = nb::getattr(array, "tolist")();
  Array made;
  if (PyList_Check(elements.ptr())) {
    made = ReadNested(elements, "an array of text").array;
  } else {
    made = StringScalar(elements);
  }
  return {std::move(made), false};
}

bool AllText(nb::handle array) {
  for (nb::handle element : nb::iter(nb::getattr(array, "flat"))) {
    if (!PyUnicode_Check(element.ptr()) && !PyBytes_Check(element.ptr())) {
      return false;
    }
  }
  return true;
}

// A numpy array.
OutsideArray LookAtNumpy(nb::handle array, const nb::object& numpy) {
  if (std::optional<NumpyElements> e = NumpyElementsOf(array)) {
    return LookAt(e->data, e->dtype, e->shape, e->strides, e->readonly,
                  LetGoOf(array));
  }
  nb::object dtype = nb::getattr(array, "dtype");
  std::string kind = nb::cast<std::string>(nb::getattr(dtype, "kind"));
  bool text = kind == "U" || kind == "S" || (kind == "O" && AllText(array));
  if (text) {
    if (nb::cast<int64_t>(nb::getattr(array, "size")) > 0) {
      return TextArray(array);
    }
    std::vector<int64_t> sizes;
    for (nb::handle d : nb::getattr(array, "shape")) {
      sizes.push_back(nb::cast<int64_t>(d));
    }
    Shape shape = ValueOrThrow(Shape::Make(sizes));
    return {ValueOrThrow(Array::Make(DType::kString, shape)), false};
  }
  DType type = FindDType(dtype);
  if (!IsPlainData(type)) {
    ThrowTypeError(StrCat("an array of ", NameOf(dtype),
                          ", which sluice has no type for"));
  }
  nb::object interface = nb::getattr(array, "__array_interface__");
  nb::object data = interface["data"];
  auto address = nb::cast<uintptr_t>(data[0]);
  bool readonly = nb::cast<bool>(data[1]);
  std::vector<int64_t> sizes;
  for (nb::handle d : nb::object(interface["shape"])) {
    sizes.push_back(nb::cast<int64_t>(d));
  }
  Shape shape = ValueOrThrow(Shape::Make(sizes));
  Strides strides = ContiguousStrides(shape);
  int64_t bytes = DTypeSize(type);
  bool odd = !nb::cast<bool>(nb::getattr(dtype, "isnative")) ||
             address % static_cast<uintptr_t>(bytes) != 0;
  nb::object steps = interface["strides"];
  if (!steps.is_none()) {
    for (int i = 0; i < shape.rank(); ++i) {
      auto step = nb::cast<int64_t>(steps[i]);
      odd = odd || (step % bytes != 0 && shape.dim(i) > 1);
      strides[static_cast<size_t>(i)] = step / bytes;
    }
  }
  if (odd) {  // another byte order, or misaligned
    nb::object native = nb::getattr(dtype, "newbyteorder")("=");
    nb::object copy = nb::getattr(numpy, "array")(
        array, "dtype"_a = native, "order"_a = "C", "copy"_a = true);
    return LookAtNumpy(copy, numpy);
  }
  return LookAt(reinterpret_cast<void*>(address), type, shape, strides,
                readonly, LetGoOf(array));
}

DType FromFormat(const char* format, int64_t itemsize) {
  if (!format) return itemsize == 1 ? DType::kU8 : DType::kInvalid;
  std::string_view text = format;
  if (!text.empty() && (text[0] == '@' || text[0] == '=' || text[0] == '<')) {
    text.remove_prefix(1);
  }
  if (text.size() != 1) return DType::kInvalid;
  int bits = static_cast<int>(itemsize) * 8;
  switch (text[0]) {
    case '?':
      return DType::kBool;
    case 'e':
    case 'f':
    case 'd':
      return DTypeFromDlpack(2, bits, 1);
    case 'b':
    case 'h':
    case 'i':
    case 'l':
    case 'q':
      return DTypeFromDlpack(0, bits, 1);
    case 'B':
    case 'H':
    case 'I':
    case 'L':
    case 'Q':
      return DTypeFromDlpack(1, bits, 1);
    default:
      return DType::kInvalid;
  }
}

// bytearray, memoryview, array.array.
OutsideArray LookAtBuffer(nb::handle object) {
  struct Held {
    Py_buffer buffer{};
    ~Held() { PyBuffer_Release(&buffer); }  // harmless if never filled
  };
  auto held = std::make_shared<Held>();
  Py_buffer& buffer = held->buffer;
  if (PyObject_GetBuffer(object.ptr(), &buffer, PyBUF_RECORDS) != 0) {
    PyErr_Clear();
    if (PyObject_GetBuffer(object.ptr(), &buffer, PyBUF_RECORDS_RO) != 0) {
      throw nb::python_error();
    }
  }
  DType type = FromFormat(buffer.format, buffer.itemsize);
  if (type == DType::kInvalid || buffer.suboffsets) {
    ThrowTypeError(StrCat("a buffer of format \"",
                          buffer.format ? buffer.format : "",
                          "\", which sluice has no type for"));
  }
  std::vector<int64_t> sizes(buffer.shape, buffer.shape + buffer.ndim);
  Shape shape = ValueOrThrow(Shape::Make(sizes));
  Strides strides = ContiguousStrides(shape);
  for (int i = 0; buffer.strides && i < buffer.ndim; ++i) {
    if (buffer.strides[i] % buffer.itemsize != 0) {
      ThrowTypeError("a buffer with gaps between its elements");
    }
    strides[static_cast<size_t>(i)] = buffer.strides[i] / buffer.itemsize;
  }
  return LookAt(buffer.buf, type, shape, strides, buffer.readonly != 0,
                [held] {});
}

bool HasMethod(nb::handle object, const char* name) {
  // Looked up in the class: some objects answer to any attribute name.
  auto* type = reinterpret_cast<PyObject*>(Py_TYPE(object.ptr()));
  return nb::hasattr(nb::handle(type), name);
}

OutsideArray LookAsItIs(nb::handle object) {
  if (PyType_Check(object.ptr())) return {};
  nb::object numpy = Numpy();
  if (IsInstance(object, numpy, "ndarray")) return LookAtNumpy(object, numpy);
  if (IsInstance(object, numpy, "generic")) {
    return LookAtNumpy(nb::getattr(numpy, "asarray")(object), numpy);
  }
  if (HasMethod(object, "__dlpack__")) return FromDlpack(object, nb::none());
  if (PyObject_CheckBuffer(object.ptr())) return LookAtBuffer(object);
  if (HasMethod(object, "__array__")) {
    nb::object made = nb::getattr(object, "__array__")();
    numpy = Numpy();
    if (IsInstance(made, numpy, "generic")) {
      made = nb::getattr(numpy, "asarray")(made);
    }
    if (!IsInstance(made, numpy, "ndarray")) {
      ThrowTypeError(StrCat("__array__ of a ", Py_TYPE(object.ptr())->tp_name,
                            " gave a ", Py_TYPE(made.ptr())->tp_name,
                            "; wanted a numpy array"));
    }
    return LookAtNumpy(made, numpy);
  }
  return {};
}

}  // namespace

OutsideArray LookAtForeign(nb::handle object) {
  return OfPlainBools(LookAsItIs(object));
}

Array FromForeign(nb::handle object, bool share) {
  OutsideArray seen = LookAtForeign(object);
  if (!seen.array || share || seen.array.dtype() == DType::kString) {
    return std::move(seen.array);
  }
  return ValueOrThrow(seen.array.Clone());
}

}  // namespace sluice::py
