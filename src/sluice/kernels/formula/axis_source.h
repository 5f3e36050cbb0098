// Which element of an axis stands at an index that may lie outside of it: what
// borders of arrays show, and arrays repeated or rolled. For the host and, from
// its source, for other devices.
//
// Plain functions of values.
#pragma once

#include <cstdint>

namespace sluice {

enum class AxisSource : int32_t {
  kConstant,   // none: a value of the border's own
  kEdge,       // the nearest
  kReflect,    // seen in a mirror, without the element at the end
  kSymmetric,  // with it
  kWrap,       // the axis again, once
  kRepeat,     // the axis again, any number of times
};

// -1 where it is the border's value. REQUIRES: `at` within reach: less than one
// size beyond the axis for kReflect, kSymmetric and kWrap, not below 0 for
// kRepeat.
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
