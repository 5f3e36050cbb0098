// The names of the axes of images, for the docs of ops over 1 to 3 of them.
#pragma once

#include <string_view>

namespace sluice {

// "height, width" for two.  REQUIRES: 1 <= axes <= 3.
constexpr std::string_view SpatialAxes(int axes) {
  return axes == 1   ? "length"
         : axes == 2 ? "height, width"
                     : "depth, height, width";
}

}  // namespace sluice
