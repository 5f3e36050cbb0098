// The attributes of Resize and its gradient. Plain values.
#pragma once

#include <string>

#include "sluice/kernels/formula/resize_places.h"
#include "sluice/op/attr.h"

namespace sluice::resize_places {

inline Coordinates CoordinatesOf(const Attrs& attrs) {
  const std::string& name = attrs.get<std::string>("coordinates");
  return name == "half_pixel"      ? Coordinates::kHalfPixel
         : name == "align_corners" ? Coordinates::kAlignCorners
                                   : Coordinates::kAsymmetric;
}

}  // namespace sluice::resize_places
