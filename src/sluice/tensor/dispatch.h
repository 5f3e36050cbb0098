// From a DType at run time to a C++ type at compile time:
//
//   Dispatch(dtype, [&]<class T>() { Fill<T>(array); });
//
// The visitor is instantiated for every type of the chosen family; a dtype
// outside it returns false and calls nothing.
#pragma once

#include "sluice/tensor/dtype.h"

namespace sluice {

#define SL_DISPATCH_CASE(tag, type)    \
  case DType::tag:                     \
    visit.template operator()<type>(); \
    return true;

#define SL_DISPATCH_FLOATS       \
  SL_DISPATCH_CASE(kF32, float)  \
  SL_DISPATCH_CASE(kF64, double) \
  SL_DISPATCH_CASE(kF16, f16)    \
  SL_DISPATCH_CASE(kBF16, bf16)

#define SL_DISPATCH_INTS           \
  SL_DISPATCH_CASE(kI8, int8_t)    \
  SL_DISPATCH_CASE(kI16, int16_t)  \
  SL_DISPATCH_CASE(kI32, int32_t)  \
  SL_DISPATCH_CASE(kI64, int64_t)  \
  SL_DISPATCH_CASE(kU8, uint8_t)   \
  SL_DISPATCH_CASE(kU16, uint16_t) \
  SL_DISPATCH_CASE(kU32, uint32_t) \
  SL_DISPATCH_CASE(kU64, uint64_t)

template <class F>
bool DispatchFloats(DType dtype, F&& visit) {
  switch (dtype) {
    SL_DISPATCH_FLOATS
    default:
      return false;
  }
}

template <class F>
bool DispatchReals(DType dtype, F&& visit) {
  switch (dtype) {
    SL_DISPATCH_FLOATS
    SL_DISPATCH_INTS
    default:
      return false;
  }
}

// Everything but resources: numbers, bool, complex64, string.
template <class F>
bool DispatchAll(DType dtype, F&& visit) {
  switch (dtype) {
    SL_DISPATCH_FLOATS
    SL_DISPATCH_INTS
    SL_DISPATCH_CASE(kBool, bool)
    SL_DISPATCH_CASE(kC64, complex64)
    SL_DISPATCH_CASE(kString, std::string)
    default:
      return false;
  }
}

// By element size alone, for moves that never interpret an element: u8, u16,
// u32 or u64 represents every plain type of that width.
template <class F>
bool DispatchBySize(DType dtype, F&& visit) {
  if (!IsPlainData(dtype)) return false;
  switch (DTypeSize(dtype)) {
    case 1:
      visit.template operator()<uint8_t>();
      return true;
    case 2:
      visit.template operator()<uint16_t>();
      return true;
    case 4:
      visit.template operator()<uint32_t>();
      return true;
    case 8:
      visit.template operator()<uint64_t>();
      return true;
    default:
      return false;
  }
}

// Index types of gather and similar ops.
template <class F>
bool DispatchIndex(DType dtype, F&& visit) {
  switch (dtype) {
    SL_DISPATCH_CASE(kI32, int32_t)
    SL_DISPATCH_CASE(kI64, int64_t)
    default:
      return false;
  }
}

}  // namespace sluice
