// Arrays of other libraries, by DLPack.
#include "dlpack_abi.h"
#include "dlpack_order.h"
#include "errors.h"
#include "foreign_array.h"
#include "sluice/base/strings.h"

namespace sluice::py {

namespace {

[[noreturn]] void ThrowBufferError(const std::string& message) {
  PyErr_SetString(PyExc_BufferError, message.c_str());
  throw nb::python_error();
}

// The stream of ours that what we do with the elements goes to; null for those
// of the CPU.
Stream* OurStream(nb::handle object) {
  if (!nb::hasattr(object, "__dlpack_device__")) return nullptr;
  nb::object device = nb::getattr(object, "__dlpack_device__")();
  auto type = nb::cast<int64_t>(nb::int_(nb::object(device[0])));
  if (type == dlpack::kCpu || type == dlpack::kCudaHost) return nullptr;
  if (type == dlpack::kCuda) {
    auto id = nb::cast<int32_t>(nb::int_(nb::object(device[1])));
    return &DlpackGpu(id).stream();
  }
  ThrowBufferError(
      StrCat("a ", Py_TYPE(object.ptr())->tp_name, " on device of kind ", type,
             "; wanted one in the memory of the CPU (1) or of a GPU (2): copy "
             "it there first"));
}

// Implementations older than the standard's keywords are called without them.
nb::object AskFor(nb::handle object, Stream* stream, nb::handle copy) {
  nb::object method = nb::getattr(object, "__dlpack__");
  nb::dict named;
  if (stream) named["stream"] = nb::int_(CudaHandleOf(*stream));
  nb::object plain = nb::steal(PyDict_Copy(named.ptr()));
  named["max_version"] = nb::make_tuple(1, 1);
  if (!copy.is_none()) named["copy"] = copy;
  try {
    return method(**named);
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_TypeError)) throw;
  }
  return method(**nb::cast<nb::dict>(plain));
}

// `ordered`: the owner has made our stream wait for its own work.
OutsideArray Seen(const dlpack::View& view, bool readonly, bool ordered,
                  std::function<void()> release) {
  // A refused capsule is released as well.
  auto refuse = [&](const std::string& why) {
    release();
    ThrowBufferError(why);
  };
  DType type =
      DTypeFromDlpack(view.dtype.code, view.dtype.bits, view.dtype.lanes);
  if (type == DType::kInvalid) {
    refuse(StrCat("elements of DLPack's type (code ", int{view.dtype.code},
                  ", bits ", int{view.dtype.bits}, ", lanes ",
                  int{view.dtype.lanes}, "), which sluice has no type for"));
  }
  bool on_gpu = view.device.type == dlpack::kCuda;
  if (!on_gpu && view.device.type != dlpack::kCpu &&
      view.device.type != dlpack::kCudaHost) {
    refuse("elements that are in the memory of neither the CPU nor a GPU");
  }
  if (view.ndim < 0 || view.ndim > kMaxRank) {
    refuse(
        StrCat("an array of ", view.ndim, " axes; wanted at most ", kMaxRank));
  }
  auto rank = static_cast<size_t>(view.ndim);
  Result<Shape> shape = Shape::Make({view.shape, rank});
  if (!shape.ok()) refuse(std::string(shape.status().message()));
  Strides strides = ContiguousStrides(*shape);
  for (size_t i = 0; view.strides && i < rank; ++i) {
    strides[i] = view.strides[i];
  }
  char* data = static_cast<char*>(view.data) + view.byte_offset;
  if (on_gpu) {
    Device& device = DlpackGpu(view.device.id);
    Stream* maker = ordered ? nullptr : &DefaultCudaStream(device);
    return LookAt({data, type, *shape, strides}, {device, maker}, readonly,
                  std::move(release));
  }
  return OfPlainBools(
      LookAt(data, type, *shape, strides, readonly, std::move(release)));
}

template <class Managed>
std::function<void()> Releasing(Managed* managed) {
  return [managed] {
    if (managed->release) managed->release(managed);
  };
}

}  // namespace

DType DTypeFromDlpack(int code, int bits, int lanes) {
  if (lanes != 1) return DType::kInvalid;
  auto by_bits = [&](DType b8, DType b16, DType b32, DType b64) {
    return bits == 8    ? b8
           : bits == 16 ? b16
           : bits == 32 ? b32
           : bits == 64 ? b64
                        : DType::kInvalid;
  };
  switch (code) {
    case dlpack::kInt:
      return by_bits(DType::kI8, DType::kI16, DType::kI32, DType::kI64);
    case dlpack::kUInt:
      return by_bits(DType::kU8, DType::kU16, DType::kU32, DType::kU64);
    case dlpack::kFloat:
      return by_bits(DType::kInvalid, DType::kF16, DType::kF32, DType::kF64);
    case dlpack::kBfloat:
      return bits == 16 ? DType::kBF16 : DType::kInvalid;
    case dlpack::kComplex:
      return bits == 64 ? DType::kC64 : DType::kInvalid;
    case dlpack::kBool:
      return bits == 8 ? DType::kBool : DType::kInvalid;
    default:
      return DType::kInvalid;
  }
}

OutsideArray FromDlpack(nb::handle object, nb::handle copy) {
  nb::object capsule;
  bool ordered = !PyCapsule_CheckExact(object.ptr());
  if (ordered) {
    capsule = AskFor(object, OurStream(object), copy);
  } else {
    capsule = nb::borrow(object);
  }
  if (PyCapsule_IsValid(capsule.ptr(), "dltensor_versioned")) {
    auto* managed = static_cast<dlpack::ManagedVersioned*>(
        PyCapsule_GetPointer(capsule.ptr(), "dltensor_versioned"));
    if (managed->version.major > 1) {
      ThrowBufferError(
          StrCat("DLPack version ", managed->version.major, "; wanted 1"));
    }
    PyCapsule_SetName(capsule.ptr(), "used_dltensor_versioned");
    bool readonly = (managed->flags & dlpack::kReadOnly) != 0;
    return Seen(managed->view, readonly, ordered, Releasing(managed));
  }
  if (!PyCapsule_IsValid(capsule.ptr(), "dltensor")) {
    ThrowTypeError(StrCat("from_dlpack(): got a ",
                          Py_TYPE(capsule.ptr())->tp_name,
                          "; wanted an array, or a capsule that was not used"));
  }
  auto* managed = static_cast<dlpack::Managed*>(
      PyCapsule_GetPointer(capsule.ptr(), "dltensor"));
  PyCapsule_SetName(capsule.ptr(), "used_dltensor");
  return Seen(managed->view, false, ordered, Releasing(managed));
}

}  // namespace sluice::py
