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

// The position of the channels axis. kAuto: last if the last size is 1, 3 or 4,
// else first.
enum class ImageLayout : uint8_t { kAuto, kHWC, kCHW };

struct Picture {
  int64_t width = 0, height = 0;
  int channels = 0;
  std::string bytes;

  // Makes a picture of [h,w] (grey), [h,w,c], [c,h,w], or a batch of those with
  // a leading axis, arranged in a grid. u8 is used directly, bool is black and
  // white, floating point ranges from 0 (black) to 1 and is clamped; NaN is
  // black. Errors: InvalidArgument for other types and shapes, and for no
  // pixels.
  static Result<Picture> Of(const Array& array, ImageLayout layout);
};

}  // namespace sluice::report
