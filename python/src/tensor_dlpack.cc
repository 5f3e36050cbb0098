// Tensors exported to other libraries by DLPack.
#include "caller_line.h"
#include "dlpack_abi.h"
#include "dlpack_order.h"
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

// The contents of a capsule: the elements, their sizes, and the note that they
// are shared.
template <class Managed>
struct Exported {
  Managed managed{};
  Elements elements;
  Stream* reader;  // for a GPU; null on the CPU
  int64_t sizes[kMaxRank], strides[kMaxRank];

  static void Release(Managed* m) { delete static_cast<Exported*>(m->context); }
  ~Exported() {
    if (reader) TakeBack(elements.array, *reader);
  }

  Exported(Elements given, Stream* stream)
      : elements(std::move(given)), reader(stream) {
    const Array& a = elements.array;
    for (int i = 0; i < a.rank(); ++i) {
      sizes[i] = a.dim(i);
      strides[i] = a.strides()[static_cast<size_t>(i)];
    }
    managed.view = {a.address(), DlpackDeviceOf(a),
                    a.rank(),    TypeOf(a.dtype()),
                    sizes,       strides};
    managed.context = this;
    managed.release = &Release;
  }
};

template <class Managed>
void DropUnused(PyObject* capsule, const char* name) {
  if (!PyCapsule_IsValid(capsule, name)) return;  // ownership was transferred
  auto* managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, name));
  managed->release(managed);
}

nb::object Versioned(Elements elements, Stream* reader, uint64_t flags) {
  auto* made =
      new Exported<dlpack::ManagedVersioned>(std::move(elements), reader);
  made->managed.version = {1, 1};
  made->managed.flags = flags;
  return nb::steal(PyCapsule_New(
      &made->managed, "dltensor_versioned", [](PyObject* capsule) {
        DropUnused<dlpack::ManagedVersioned>(capsule, "dltensor_versioned");
      }));
}

nb::object Unversioned(Elements elements, Stream* reader) {
  auto* made = new Exported<dlpack::Managed>(std::move(elements), reader);
  return nb::steal(
      PyCapsule_New(&made->managed, "dltensor", [](PyObject* capsule) {
        DropUnused<dlpack::Managed>(capsule, "dltensor");
      }));
}

// Whether the elements are requested on the CPU, but are elsewhere.
bool WantedOnHost(const Array& array, nb::handle dl_device) {
  if (dl_device.is_none()) return false;
  nb::object device = nb::borrow(dl_device);
  auto type = nb::cast<int64_t>(nb::int_(nb::object(device[0])));
  dlpack::Device here = DlpackDeviceOf(array);
  if (type == here.type) return false;
  if (type == dlpack::kCpu) return true;
  ThrowBufferError(StrCat("__dlpack__(): device of kind ", type,
                          "; wanted the tensor's own, which is ", here.type,
                          ", or the CPU, which is 1"));
}

nb::object Dlpack(const Tensor& t, nb::handle stream, nb::handle max_version,
                  nb::handle dl_device, nb::handle copy) {
  const Array& array = OwnArrayOf(t, "__dlpack__()");
  DlpackDeviceOf(array);  // throws for unsupported memory
  if (WantedOnHost(array, dl_device)) {
    if (!copy.is_none() && !nb::cast<bool>(copy)) {
      ThrowBufferError(
          "__dlpack__(): elements of another device, and copy is False");
    }
    Tensor host = t.detach().to("cpu");
    return Dlpack(host, nb::none(), max_version, nb::none(), nb::none());
  }
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
  Stream* reader = HandOver(elements.array, stream);
  if (!versioned) {
    if (elements.readonly) {
      ThrowBufferError(
          "__dlpack__(): elements that may not be written, for a library that "
          "cannot be told so; wanted a clone()");
    }
    return Unversioned(std::move(elements), reader);
  }
  uint64_t flags = (elements.readonly ? dlpack::kReadOnly : 0) |
                   (copies ? dlpack::kCopied : 0);
  return Versioned(std::move(elements), reader, flags);
}

}  // namespace

void BindTensorDlpack(nb::module_& m) {
  TensorClass()
      .def("__dlpack__", &Dlpack, nb::kw_only(), "stream"_a = nb::none(),
           "max_version"_a = nb::none(), "dl_device"_a = nb::none(),
           "copy"_a = nb::none(),
           "For from_dlpack of other libraries: the elements, not copied.")
      .def("__dlpack_device__", [](const Tensor& t) {
        dlpack::Device device;
        if (!t.symbolic()) device = DlpackDeviceOf(t.array());
        return nb::make_tuple(device.type, device.id);
      });
  m.def(
      "from_dlpack",
      [](nb::handle array, nb::handle device, nb::handle copy) {
        // On another device, it can only be a copy.
        auto placed = [&](Tensor made) {
          if (device.is_none()) return made;
          return made.to(nb::cast<std::string>(nb::str(device)));
        };
        if (IsTensor(array) && copy.is_none()) {
          return placed(AsTensor(array).detach());
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
          return placed(TensorOf(ValueOrThrow(seen.array.Clone())));
        }
        return placed(TensorOver(seen));
      },
      "x"_a, nb::kw_only(), "device"_a = nb::none(), "copy"_a = nb::none(),
      "A tensor over the elements of an array of another library, which are "
      "shared: writes show on both sides.");
}

}  // namespace sluice::py
