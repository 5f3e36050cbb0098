// What Pad shows outside of x.
#pragma once

#include <cstdint>
#include <string>

#include "sluice/op/attr.h"

namespace sluice::pad_mode {

enum class Mode { kConstant, kEdge, kReflect, kSymmetric, kWrap };

inline Mode ModeOf(const Attrs& attrs) {
  const auto& mode = attrs.get<std::string>("mode");
  if (mode == "edge") return Mode::kEdge;
  if (mode == "reflect") return Mode::kReflect;
  if (mode == "symmetric") return Mode::kSymmetric;
  return mode == "wrap" ? Mode::kWrap : Mode::kConstant;
}

// The element of an axis of n that stands at `at`, which may lie outside; -1
// where it is the border's value. REQUIRES: `at` within Reach of the axis.
inline int64_t SourceOf(Mode mode, int64_t at, int64_t n) {
  if (at >= 0 && at < n) return at;
  switch (mode) {
    case Mode::kConstant:
      return -1;
    case Mode::kEdge:
      return at < 0 ? 0 : n - 1;
    case Mode::kReflect:
      return at < 0 ? -at : 2 * (n - 1) - at;
    case Mode::kSymmetric:
      return at < 0 ? -1 - at : 2 * n - 1 - at;
    case Mode::kWrap:
      return at < 0 ? at + n : at - n;
  }
  return -1;
}

// How far a border may reach beyond an axis of n.
inline int64_t Reach(Mode mode, int64_t n) {
  switch (mode) {
    case Mode::kConstant:
      return INT64_MAX;
    case Mode::kEdge:
      return n > 0 ? INT64_MAX : 0;
    case Mode::kReflect:
      return n > 0 ? n - 1 : 0;
    default:
      return n;
  }
}

}  // namespace sluice::pad_mode
