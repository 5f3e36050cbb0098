// Tensors given to other libraries by DLPack.
#include "caller_line.h"
#include "dlpack_abi.h"
#include "errors.h"
#include "foreign_array.h"
#include "operand.h"
#include "sluice/base/strings.h"
#include "sluice/eager/shared_outside.h"
#include "tensor.h"
#include "tensor_memory.h"
#include "tensor_values.h"

namespace sluice::py {

namespace {

[[noreturn]] void ThrowBufferError(const std::string& message) {
  PyErr_SetString(PyExc_BufferError, message.c_str());
  throw nb::python_error();
}

dlpack::Type TypeOf(DType dtype) {
  auto bits = static_cast<uint8_t>(8 * DTypeSize(dtype));
  uint8_t code = dtype == DType::kBool   ? dlpack::kBool
                 : dtype == DType::kBF16 ? dlpack::kBfloat
                 : dtype == DType::kC64  ? dlpack::kComplex
                 : IsFloating(dtype)     ? dlpack::kFloat
                 : IsSigned(dtype)       ? dlpack::kInt
                                         : dlpack::kUInt;
  return {code, bits, 1};
}

// What a capsule keeps: the elements, their sizes, and the note that others
// see them.
template <class Managed>
struct Exported {
  Managed managed{};
  Elements elements;
  int64_t sizes[kMaxRank], strides[kMaxRank];

  static void Release(Managed* m) { delete static_cast<Exported*>(m->context); }

  explicit Exported(Elements given) : elements(std::move(given)) {
    const Array& a = elements.array;
    for (int i = 0; i < a.rank(); ++i) {
      sizes[i] = a.dim(i);
      strides[i] = a.strides()[static_cast<size_t>(i)];
    }
    managed.view = {a.mutable_raw(),   {},    a.rank(),
                    TypeOf(a.dtype()), sizes, strides};
    managed.context = this;
    managed.release = &Release;
  }
};

template <class Managed>
void DropUnused(PyObject* capsule, const char* name) {
  if (!PyCapsule_IsValid(capsule, name)) return;  // taken over
  auto* managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, name));
  managed->release(managed);
}

nb::object Versioned(Elements elements, uint64_t flags) {
  auto* made = new Exported<dlpack::ManagedVersioned>(std::move(elements));
  made->managed.version = {1, 1};
  made->managed.flags = flags;
  return nb::steal(PyCapsule_New(
      &made->managed, "dltensor_versioned", [](PyObject* capsule) {
        DropUnused<dlpack::ManagedVersioned>(capsule, "dltensor_versioned");
      }));
}

nb::object Unversioned(Elements elements) {
  auto* made = new Exported<dlpack::Managed>(std::move(elements));
  return nb::steal(
      PyCapsule_New(&made->managed, "dltensor", [](PyObject* capsule) {
        DropUnused<dlpack::Managed>(capsule, "dltensor");
      }));
}

nb::object Dlpack(const Tensor& t, nb::handle stream, nb::handle max_version,
                  nb::handle dl_device, nb::handle copy) {
  if (!stream.is_none() &&
      !nb::object(nb::borrow(stream)).equal(nb::int_(-1))) {
    ThrowBufferError("__dlpack__(): a stream; the CPU has none");
  }
  if (!dl_device.is_none()) {
    nb::object device = nb::borrow(dl_device);
    auto type = nb::cast<int64_t>(nb::int_(nb::object(device[0])));
    if (type != dlpack::kCpu) {
      ThrowBufferError(StrCat("__dlpack__(): device of kind ", type,
                              "; wanted the CPU, which is 1"));
    }
  }
  Array array = SharedElementsOf(t, "__dlpack__()");
  if (t.requires_grad()) {
    ThrowBufferError(
        "__dlpack__() of a tensor that requires gradients; wanted detach() "
        "before");
  }
  if (!IsPlainData(array.dtype())) {
    ThrowBufferError(
        StrCat("__dlpack__() of a tensor of ", PythonName(array.dtype())));
  }
  bool versioned = false;
  if (!max_version.is_none()) {
    nb::object version = nb::borrow(max_version);
    versioned = nb::cast<int64_t>(nb::object(version[0])) >= 1;
  }
  bool copies = !copy.is_none() && nb::cast<bool>(copy);
  Elements elements =
      copies ? Elements{ValueOrThrow(array.Clone()), false, {}} : Export(t);
  if (!versioned) {
    if (elements.readonly) {
      ThrowBufferError(
          "__dlpack__(): elements that may not be written, for a library that "
          "cannot be told so; wanted a clone()");
    }
    return Unversioned(std::move(elements));
  }
  uint64_t flags = (elements.readonly ? dlpack::kReadOnly : 0) |
                   (copies ? dlpack::kCopied : 0);
  return Versioned(std::move(elements), flags);
}

}  // namespace

void BindTensorDlpack(nb::module_& m) {
  TensorClass()
      .def("__dlpack__", &Dlpack, nb::kw_only(), "stream"_a = nb::none(),
           "max_version"_a = nb::none(), "dl_device"_a = nb::none(),
           "copy"_a = nb::none(),
           "For from_dlpack of other libraries: the elements, not copied.")
      .def("__dlpack_device__",
           [](const Tensor&) { return nb::make_tuple(dlpack::kCpu, 0); });
  m.def(
      "from_dlpack",
      [](nb::handle array, nb::handle device, nb::handle copy) {
        if (IsTensor(array) && copy.is_none()) return AsTensor(array).detach();
        if (!device.is_none()) {
          std::string name = nb::cast<std::string>(nb::str(device));
          if (!name.starts_with("cpu")) {
            ThrowBufferError(
                StrCat("from_dlpack(): device is ", name, "; wanted \"cpu\""));
          }
        }
        bool speaks = PyCapsule_CheckExact(array.ptr()) ||
                      nb::hasattr(array, "__dlpack__");
        if (!speaks) {
          ThrowTypeError(StrCat("from_dlpack(): got a ",
                                Py_TYPE(array.ptr())->tp_name,
                                "; wanted an array with __dlpack__"));
        }
        OutsideArray seen = FromDlpack(array, copy);
        if (!copy.is_none() && nb::cast<bool>(copy)) {
          return TensorOf(ValueOrThrow(seen.array.Clone()));
        }
        return TensorOver(seen);
      },
      "x"_a, nb::kw_only(), "device"_a = nb::none(), "copy"_a = nb::none(),
      "A tensor over the elements of an array of another library, which are "
      "shared: writes show on both sides.");
}

}  // namespace sluice::py
