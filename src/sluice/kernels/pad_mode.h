// The border modes of Pad. Plain values.
#pragma once

#include <cstdint>
#include <string>

#include "sluice/kernels/formula/axis_source.h"
#include "sluice/op/attr.h"

namespace sluice::pad_mode {

using Mode = AxisSource;

inline Mode ModeOf(const Attrs& attrs) {
  const auto& mode = attrs.get<std::string>("mode");
  if (mode == "edge") return Mode::kEdge;
  if (mode == "reflect") return Mode::kReflect;
  if (mode == "symmetric") return Mode::kSymmetric;
  return mode == "wrap" ? Mode::kWrap : Mode::kConstant;
}

// The maximum border of an axis of size n.
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
