// Elements of tensors shared with other libraries, without a copy.
#include "tensor_memory.h"

#include <cstring>

#include "bindings.h"
#include "caller_line.h"
#include "errors.h"
#include "operand.h"
#include "outside_memory.h"
#include "shared_segment.h"
#include "sluice/base/strings.h"
#include "tensor.h"
#include "tensor_values.h"

namespace sluice::py {

namespace {

std::string NumpyType(DType dtype) {
  switch (dtype) {
    case DType::kBool:
      return "|b1";
    case DType::kF16:
      return "<f2";
    case DType::kF32:
      return "<f4";
    case DType::kF64:
      return "<f8";
    case DType::kBF16:
      return "<u2";  // interpreted by numpy_view
    case DType::kC64:
      return "<c8";
    default:
      return StrCat(DTypeSize(dtype) == 1 ? "|" : "<",
                    IsSigned(dtype) ? "i" : "u", DTypeSize(dtype));
  }
}

nb::dict Interface(const Elements& e) {
  const Array& a = e.array;
  nb::list shape, strides;
  for (int i = 0; i < a.rank(); ++i) {
    shape.append(a.dim(i));
    strides.append(a.strides()[static_cast<size_t>(i)] * DTypeSize(a.dtype()));
  }
  nb::dict made;
  made["version"] = 3;
  made["typestr"] = NumpyType(a.dtype());
  made["shape"] = nb::tuple(shape);
  if (!a.contiguous()) made["strides"] = nb::tuple(strides);
  made["data"] =
      nb::make_tuple(reinterpret_cast<uintptr_t>(a.raw()), e.readonly);
  return made;
}

bool Repeats(const Array& a) {
  for (int i = 0; i < a.rank(); ++i) {
    if (a.dim(i) > 1 && a.strides()[static_cast<size_t>(i)] == 0) return true;
  }
  return false;
}

Elements ForNumpy(const Tensor& t, bool force) {
  const Array a = ElementsOf(t, "numpy()");
  if (t.requires_grad() && !force) {
    throw Error(FailedPrecondition(
        "numpy() of a tensor that requires gradients, which would not know "
        "what is written there; wanted t.detach().numpy()"));
  }
  if (!IsPlainData(a.dtype())) {
    ThrowTypeError(StrCat("numpy() of a tensor of ", PythonName(a.dtype()),
                          ", the elements of which are not plain numbers"));
  }
  // A copy of a device's memory: writes would be lost.
  if (!t.array().on_host()) return {a, /*readonly=*/true, nullptr};
  return Export(t);
}

}  // namespace

Elements Export(const Tensor& t) {
  EagerValue& value = *t.eager();
  Elements made{value.array, Repeats(value.array) || IsReadOnly(value.array),
                nullptr};
  if (!made.readonly) {
    made.shared = std::make_shared<SharedOutside>(value, PythonLine());
  }
  return made;
}

namespace {

// A new tensor over bytes: those of a writable buffer are shared, because
// unpickling has made it for us.
Tensor FromBytes(nb::handle bytes, DType dtype,
                 const std::vector<int64_t>& sizes) {
  Shape shape = ValueOrThrow(Shape::Make(sizes));
  auto held = std::make_shared<nb::object>(
      nb::steal(PyMemoryView_FromObject(bytes.ptr())));
  if (!held->is_valid()) throw nb::python_error();
  const Py_buffer& buffer = *PyMemoryView_GET_BUFFER(held->ptr());
  int64_t wanted = shape.num_elements() * DTypeSize(dtype);
  if (!IsPlainData(dtype) || buffer.len != wanted ||
      !PyBuffer_IsContiguous(&buffer, 'C')) {
    ThrowValueError(StrCat("a pickle of a tensor of ", TypeText(dtype, shape),
                           " with ", buffer.len, " bytes; wanted ", wanted));
  }
  Array seen = Array::Borrow(buffer.buf, dtype, shape);
  auto address = reinterpret_cast<uintptr_t>(buffer.buf);
  bool aligned = address % static_cast<uintptr_t>(DTypeSize(dtype)) == 0;
  if (buffer.readonly || !aligned || wanted < 4096) {
    Array copy = ValueOrThrow(Array::Make(dtype, shape));
    if (wanted > 0) {
      std::memcpy(copy.mutable_raw(), buffer.buf, static_cast<size_t>(wanted));
    }
    return TensorOf(std::move(copy));
  }
  return TensorOf(
      LookAt(buffer.buf, dtype, shape, ContiguousStrides(shape), false, [held] {
      }).array);
}

// The elements in row-major order, as bytes for pickle.
struct Bytes {
  Array array;
};
nb::object ContiguousElements(const Tensor& t) {
  Array here = ElementsOf(t, "pickle");
  return nb::cast(Bytes{ValueOrThrow(here.AsContiguous())});
}

// Writable, so that unpickling can use the buffer without a copy.
int GetBuffer(PyObject* self, Py_buffer* view, int flags) {
  if (!nb::inst_ready(self)) {
    PyErr_SetString(PyExc_BufferError, "ElementBytes that hold nothing");
    return -1;
  }
  const Array& a = nb::inst_ptr<Bytes>(nb::handle(self))->array;
  return PyBuffer_FillInfo(view, self, a.mutable_raw(), a.bytes(),
                           /*readonly=*/0, flags);
}

PyType_Slot byte_slots[] = {
    {Py_bf_getbuffer, reinterpret_cast<void*>(&GetBuffer)}, {0, nullptr}};

}  // namespace

void BindTensorMemory(nb::module_& m) {
  nb::class_<Bytes>(m, "ElementBytes", nb::type_slots(byte_slots));
  nb::class_<Elements>(m, "Elements")
      .def_prop_ro("__array_interface__", &Interface);
  TensorClass().def("_elements", &ForNumpy, "force"_a = false);
  m.def("from_bytes", &FromBytes, "bytes"_a, "dtype"_a, "shape"_a);
  m.def("contiguous_elements", &ContiguousElements, "tensor"_a);
  m.def("empty_strings", [](const std::vector<int64_t>& sizes) {
    Shape shape = ValueOrThrow(Shape::Make(sizes));
    return TensorOf(ValueOrThrow(Array::Make(DType::kString, shape)));
  });
  BindTensorDlpack(m);
  BindSharedSegment(m);
}

}  // namespace sluice::py
