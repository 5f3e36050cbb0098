#include "foreign_array.h"

#include <nanobind/ndarray.h>

#include "dtype.h"
#include "errors.h"
#include "sluice/tensor/strided.h"

namespace sluice::py {

namespace {

DType FromDlpack(nb::dlpack::dtype t) {
  using Kind = nb::dlpack::dtype_code;
  if (t.lanes != 1) return DType::kInvalid;
  switch (static_cast<Kind>(t.code)) {
    case Kind::Float:
      return t.bits == 32   ? DType::kF32
             : t.bits == 64 ? DType::kF64
             : t.bits == 16 ? DType::kF16
                            : DType::kInvalid;
    case Kind::Bfloat:
      return DType::kBF16;
    case Kind::Int:
      return t.bits == 8    ? DType::kI8
             : t.bits == 16 ? DType::kI16
             : t.bits == 32 ? DType::kI32
             : t.bits == 64 ? DType::kI64
                            : DType::kInvalid;
    case Kind::UInt:
      return t.bits == 8    ? DType::kU8
             : t.bits == 16 ? DType::kU16
             : t.bits == 32 ? DType::kU32
             : t.bits == 64 ? DType::kU64
                            : DType::kInvalid;
    case Kind::Bool:
      return DType::kBool;
    case Kind::Complex:
      return t.bits == 64 ? DType::kC64 : DType::kInvalid;
    default:
      return DType::kInvalid;
  }
}

}  // namespace

Array FromForeign(nb::handle object, bool share) {
  nb::ndarray<nb::ro> foreign;
  if (!nb::try_cast(object, foreign)) return {};
  DType dtype = FromDlpack(foreign.dtype());
  if (dtype == DType::kInvalid) {
    ThrowTypeError("an array of elements sluice has no type for");
  }
  std::vector<int64_t> sizes;
  Strides strides{};
  if (foreign.ndim() > static_cast<size_t>(kMaxRank)) {
    ThrowValueError("an array of more axes than sluice has");
  }
  for (size_t i = 0; i < foreign.ndim(); ++i) {
    sizes.push_back(static_cast<int64_t>(foreign.shape(i)));
    strides[i] = foreign.stride(i);
  }
  Shape shape = ValueOrThrow(Shape::Make(sizes));
  void* data = const_cast<void*>(foreign.data());
  Array seen = Array::Borrow(data, dtype, shape, strides);
  if (!share) {
    Array copy = ValueOrThrow(Array::Make(dtype, shape));
    CopyRegion(dtype, shape, data, strides, copy.mutable_raw(), copy.strides(),
               nullptr);
    return copy;
  }
  return seen;  // TODO(tensors): keep the owner
}

}  // namespace sluice::py
