// Picture: a tensor as pixels of bytes, for PNG and TensorBoard.
//
// A plain value; pure functions.
#pragma once

#include <cstdint>
#include <string>

#include "sluice/base/status.h"

namespace sluice {
class Array;
}

namespace sluice::report {

// Where a picture's channels stand. kAuto: last where the last size is 1, 3 or
// 4, else first.
enum class ImageLayout : uint8_t { kAuto, kHWC, kCHW };

struct Picture {
  int64_t width = 0, height = 0;
  int channels = 0;
  std::string bytes;

  // Of [h,w] (grey), [h,w,c], [c,h,w], or a batch of those with one size more
  // in front, side by side in a grid. u8 is taken as it is, bool as black and
  // white, floating point from 0 (black) to 1, cut off beyond; NaN is black.
  // Errors: InvalidArgument for other types and shapes, and for no pixels.
  static Result<Picture> Of(const Array& array, ImageLayout layout);
};

}  // namespace sluice::report
