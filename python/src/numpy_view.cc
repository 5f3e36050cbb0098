#include "numpy_view.h"

namespace sluice::py {

namespace {

// A class of numpy, once the program has loaded numpy; null before.
PyTypeObject* ClassOfNumpy(const char* name) {
  PyObject* numpy =
      PyDict_GetItemString(PyImport_GetModuleDict(), "numpy");  // borrowed
  if (!numpy) return nullptr;
  PyObject* found = PyObject_GetAttrString(numpy, name);  // kept for good
  if (!found) PyErr_Clear();
  bool is = found && PyType_Check(found);
  return is ? reinterpret_cast<PyTypeObject*>(found) : nullptr;
}

PyTypeObject* ArrayClass() {
  static PyTypeObject* cls = nullptr;
  if (!cls) cls = ClassOfNumpy("ndarray");
  return cls;
}

// From the one-letter codes of the buffer protocol; kInvalid for others.
DType FromFormat(const char* format, Py_ssize_t size) {
  if (!format || !format[0] || format[1]) return DType::kInvalid;
  switch (format[0]) {
    case '?':
      return DType::kBool;
    case 'e':
      return DType::kF16;
    case 'f':
      return DType::kF32;
    case 'd':
      return DType::kF64;
    case 'b':
    case 'h':
    case 'i':
    case 'l':
    case 'q':
      return size == 8   ? DType::kI64
             : size == 4 ? DType::kI32
             : size == 2 ? DType::kI16
                         : DType::kI8;
    case 'B':
    case 'H':
    case 'I':
    case 'L':
    case 'Q':
      return size == 8   ? DType::kU64
             : size == 4 ? DType::kU32
             : size == 2 ? DType::kU16
                         : DType::kU8;
    default:
      return DType::kInvalid;
  }
}

}  // namespace

bool IsNumpyScalar(nb::handle object) {
  static PyTypeObject* cls = nullptr;
  if (!cls) cls = ClassOfNumpy("generic");
  return cls && PyType_IsSubtype(Py_TYPE(object.ptr()), cls);
}

std::unique_ptr<NumpyView> NumpyView::Of(nb::handle object) {
  if (Py_TYPE(object.ptr()) != ArrayClass()) return nullptr;
  std::unique_ptr<NumpyView> view(new NumpyView);
  Py_buffer& buffer = view->buffer_;
  constexpr int kWanted = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT;
  if (PyObject_GetBuffer(object.ptr(), &buffer, kWanted) != 0) {
    PyErr_Clear();  // the slow path reports the error
    return nullptr;
  }
  DType dtype = FromFormat(buffer.format, buffer.itemsize);
  auto address = reinterpret_cast<uintptr_t>(buffer.buf);
  if (dtype == DType::kInvalid || DTypeSize(dtype) != buffer.itemsize ||
      buffer.ndim > kMaxRank ||
      address % static_cast<uintptr_t>(buffer.itemsize) != 0) {
    return nullptr;
  }
  int64_t sizes[kMaxRank] = {};
  for (int i = 0; i < buffer.ndim; ++i) sizes[i] = buffer.shape[i];
  Result<Shape> shape = Shape::Make({sizes, static_cast<size_t>(buffer.ndim)});
  if (!shape.ok()) return nullptr;
  view->array_ = Array::Borrow(buffer.buf, dtype, *shape);
  return view;
}

std::optional<NumpyElements> NumpyElementsOf(nb::handle object) {
  if (Py_TYPE(object.ptr()) != ArrayClass()) return std::nullopt;
  struct Looked {
    Py_buffer buffer{};
    ~Looked() { PyBuffer_Release(&buffer); }  // harmless if never filled
  } looked;
  Py_buffer& buffer = looked.buffer;
  if (PyObject_GetBuffer(object.ptr(), &buffer, PyBUF_RECORDS_RO) != 0) {
    PyErr_Clear();  // the slow path reports the error
    return std::nullopt;
  }
  DType dtype = FromFormat(buffer.format, buffer.itemsize);
  if (dtype == DType::kInvalid || DTypeSize(dtype) != buffer.itemsize ||
      buffer.ndim > kMaxRank ||
      reinterpret_cast<uintptr_t>(buffer.buf) %
              static_cast<uintptr_t>(buffer.itemsize) !=
          0) {
    return std::nullopt;
  }
  int64_t sizes[kMaxRank] = {};
  for (int i = 0; i < buffer.ndim; ++i) sizes[i] = buffer.shape[i];
  Result<Shape> shape = Shape::Make({sizes, static_cast<size_t>(buffer.ndim)});
  if (!shape.ok()) return std::nullopt;
  Strides strides = ContiguousStrides(*shape);
  for (int i = 0; i < buffer.ndim; ++i) {
    if (buffer.strides[i] % buffer.itemsize != 0) return std::nullopt;
    strides[static_cast<size_t>(i)] = buffer.strides[i] / buffer.itemsize;
  }
  return NumpyElements{buffer.buf, dtype, *shape, strides,
                       buffer.readonly != 0};
}

NumpyView::~NumpyView() {
  array_ = Array();
  PyBuffer_Release(&buffer_);  // harmless if never filled
}

}  // namespace sluice::py
