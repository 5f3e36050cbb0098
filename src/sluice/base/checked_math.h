// Arithmetic that reports overflow instead of wrapping. All sizes from users,
// files and graphs are computed with these functions.
#pragma once

#include <cstdint>

namespace sluice {

// False, with *out unchanged, if the exact result does not fit.
inline bool CheckedAdd(int64_t a, int64_t b, int64_t* out) {
  int64_t r;
  if (__builtin_add_overflow(a, b, &r)) return false;
  *out = r;
  return true;
}

inline bool CheckedMul(int64_t a, int64_t b, int64_t* out) {
  int64_t r;
  if (__builtin_mul_overflow(a, b, &r)) return false;
  *out = r;
  return true;
}

inline int64_t AlignUp(int64_t value, int64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

}  // namespace sluice
