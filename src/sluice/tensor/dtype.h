// DType: the element types, their C++ types, and dispatch from one to the
// other. `resource` holds a reference to state (op/resource.h), `list` one to a
// list of arrays (tensor/list.h); they have no arithmetic and never leave the
// process.
#pragma once

#include <complex>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "sluice/tensor/half.h"

namespace sluice {

enum class DType : uint8_t {
  kInvalid = 0,
  kF32,
  kF64,
  kF16,
  kBF16,
  kI8,
  kI16,
  kI32,
  kI64,
  kU8,
  kU16,
  kU32,
  kU64,
  kBool,
  kC64,
  kString,
  kResource,
  kList,
};
inline constexpr int kNumDTypes = 18;

// The short names that users write: sl::f32, sl::i64. The half-precision types
// have C++ types with the short names, so their tags are f16_t and bf16_t.
inline constexpr DType f32 = DType::kF32, f64 = DType::kF64,
                       f16_t = DType::kF16, bf16_t = DType::kBF16,
                       i8 = DType::kI8, i16 = DType::kI16, i32 = DType::kI32,
                       i64 = DType::kI64, u8 = DType::kU8, u16 = DType::kU16,
                       u32 = DType::kU32, u64 = DType::kU64,
                       boolean = DType::kBool, c64 = DType::kC64,
                       string = DType::kString, list = DType::kList;

using complex64 = std::complex<float>;

// "f32", "bool", "complex64", "string"; and the reverse, kInvalid if unknown.
std::string_view DTypeName(DType dtype);
DType DTypeFromName(std::string_view name);

// Bytes per element; for strings and resources, the size of the object in
// memory.
int64_t DTypeSize(DType dtype);

inline bool IsFloating(DType t) {
  return t >= DType::kF32 && t <= DType::kBF16;
}
inline bool IsSigned(DType t) {
  return IsFloating(t) || (t >= DType::kI8 && t <= DType::kI64) ||
         t == DType::kC64;
}
inline bool IsInteger(DType t) { return t >= DType::kI8 && t <= DType::kU64; }
// True if elements are plain bytes: may be copied by memcpy, sent, mapped.
inline bool IsPlainData(DType t) {
  return t >= DType::kF32 && t <= DType::kC64;
}

// True if an element is a counted reference to an object of this process.
inline bool IsReference(DType t) {
  return t == DType::kResource || t == DType::kList;
}

// A set of dtypes; op records declare their operand types with it.
class DTypeSet {
 public:
  constexpr DTypeSet() = default;
  constexpr DTypeSet(std::initializer_list<DType> types) {
    for (DType t : types) bits_ |= Bit(t);
  }
  constexpr bool contains(DType t) const { return (bits_ & Bit(t)) != 0; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr DTypeSet operator|(DTypeSet o) const {
    return DTypeSet(bits_ | o.bits_);
  }
  constexpr DTypeSet operator&(DTypeSet o) const {
    return DTypeSet(bits_ & o.bits_);
  }
  constexpr bool operator==(const DTypeSet&) const = default;
  std::string ToString() const;  // "f32 f64"

 private:
  constexpr explicit DTypeSet(uint32_t bits) : bits_(bits) {}
  static constexpr uint32_t Bit(DType t) { return 1u << static_cast<int>(t); }
  uint32_t bits_ = 0;
};

inline constexpr DTypeSet kFloats{DType::kF32, DType::kF64, DType::kF16,
                                  DType::kBF16};
inline constexpr DTypeSet kInts{DType::kI8,  DType::kI16, DType::kI32,
                                DType::kI64, DType::kU8,  DType::kU16,
                                DType::kU32, DType::kU64};
inline constexpr DTypeSet kSignedInts{DType::kI8, DType::kI16, DType::kI32,
                                      DType::kI64};
inline constexpr DTypeSet kReals = kFloats | kInts;
inline constexpr DTypeSet kNumbers = kReals | DTypeSet{DType::kC64};
inline constexpr DTypeSet kPlain = kNumbers | DTypeSet{DType::kBool};
inline constexpr DTypeSet kAnyData = kPlain | DTypeSet{DType::kString};
// Every type that an edge may have.
inline constexpr DTypeSet kAnything =
    kAnyData | DTypeSet{DType::kResource, DType::kList};
inline constexpr DTypeSet kIndices{DType::kI32, DType::kI64};

template <class T>
struct DTypeOf;
#define SL_DTYPE_OF(cpp, tag)                  \
  template <>                                  \
  struct DTypeOf<cpp> {                        \
    static constexpr DType value = DType::tag; \
  }
SL_DTYPE_OF(float, kF32);
SL_DTYPE_OF(double, kF64);
SL_DTYPE_OF(f16, kF16);
SL_DTYPE_OF(bf16, kBF16);
SL_DTYPE_OF(int8_t, kI8);
SL_DTYPE_OF(int16_t, kI16);
SL_DTYPE_OF(int32_t, kI32);
SL_DTYPE_OF(int64_t, kI64);
SL_DTYPE_OF(uint8_t, kU8);
SL_DTYPE_OF(uint16_t, kU16);
SL_DTYPE_OF(uint32_t, kU32);
SL_DTYPE_OF(uint64_t, kU64);
SL_DTYPE_OF(bool, kBool);
SL_DTYPE_OF(complex64, kC64);
SL_DTYPE_OF(std::string, kString);
#undef SL_DTYPE_OF

}  // namespace sluice
