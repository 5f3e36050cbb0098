// Maps an index that may be out of range to an element of an axis: for borders
// of arrays, and for repeated or rolled arrays. For the host and, from its
// source, for other devices.
//
// Plain functions of values.
#pragma once

#include <cstdint>

namespace sluice {

enum class AxisSource : int32_t {
  kConstant,   // none: a constant border value
  kEdge,       // the nearest element
  kReflect,    // mirrored, without repeating the last element
  kSymmetric,  // mirrored, repeating the last element
  kWrap,       // the axis again, once
  kRepeat,     // the axis again, any number of times
};

// -1 for the border value. REQUIRES: `at` is less than one size beyond the axis
// for kReflect, kSymmetric and kWrap, and not below 0 for kRepeat.
inline int64_t SourceOf(AxisSource mode, int64_t at, int64_t n) {
  if (at >= 0 && at < n) return at;
  switch (mode) {
    case AxisSource::kConstant:
      return -1;
    case AxisSource::kEdge:
      return at < 0 ? 0 : n - 1;
    case AxisSource::kReflect:
      return at < 0 ? -at : 2 * (n - 1) - at;
    case AxisSource::kSymmetric:
      return at < 0 ? -1 - at : 2 * n - 1 - at;
    case AxisSource::kWrap:
      return at < 0 ? at + n : at - n;
    case AxisSource::kRepeat:
      return at % n;
  }
  return -1;
}

}  // namespace sluice
