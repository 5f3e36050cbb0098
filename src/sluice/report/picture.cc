#include "sluice/report/picture.h"

#include <algorithm>
#include <cmath>

#include "sluice/base/strings.h"
#include "sluice/tensor/array.h"
#include "sluice/tensor/dispatch.h"

namespace sluice::report {

namespace {

uint8_t PixelOf(uint8_t v) { return v; }
uint8_t PixelOf(bool v) { return v ? 255 : 0; }
template <class T>
uint8_t PixelOf(T v) {
  double x = static_cast<double>(v);
  // Written so that a NaN goes to 0.
  return x > 0 ? static_cast<uint8_t>(std::lround(std::min(x, 1.0) * 255)) : 0;
}

// Sizes and strides of pictures in a contiguous array.
struct Grid {
  int64_t count = 1, height = 0, width = 0, channels = 1;
  int64_t row = 0, column = 0, channel = 0;  // strides
  int64_t across = 1, down = 1;              // pictures

  int64_t picture() const { return height * width * channels; }
};

Result<Grid> GridOf(const Array& array, ImageLayout layout) {
  const Shape& shape = array.shape();
  Grid g;
  int rank = shape.rank();
  if (rank == 4) g.count = shape.dim(0);
  int at = rank == 4 ? 1 : 0;
  if (rank == 2) {
    g.height = shape.dim(0);
    g.width = shape.dim(1);
    g.row = g.width;
    g.column = 1;
  } else if (rank == 3 || rank == 4) {
    int64_t last = shape.dim(at + 2);
    if (layout == ImageLayout::kAuto) {
      bool hwc = last == 1 || last == 3 || last == 4;
      layout = hwc ? ImageLayout::kHWC : ImageLayout::kCHW;
    }
    if (layout == ImageLayout::kHWC) {
      g.height = shape.dim(at);
      g.width = shape.dim(at + 1);
      g.channels = last;
      g.row = g.width * g.channels;
      g.column = g.channels;
      g.channel = 1;
    } else {
      g.channels = shape.dim(at);
      g.height = shape.dim(at + 1);
      g.width = last;
      g.row = g.width;
      g.column = 1;
      g.channel = g.height * g.width;
    }
  } else {
    return InvalidArgument(
        StrCat("a picture of ", array.TypeText(),
               "; wanted [h,w], [h,w,c], [c,h,w] or a batch of them"));
  }
  if (array.num_elements() == 0 || g.channels > 4) {
    return InvalidArgument(
        StrCat("a picture of ", array.TypeText(),
               layout == ImageLayout::kHWC ? " with channels last" : "",
               layout == ImageLayout::kCHW ? " with channels first" : "",
               "; wanted at least one pixel of 1 to 4 channels"));
  }
  while (g.across * g.across < g.count) ++g.across;
  g.down = (g.count + g.across - 1) / g.across;
  return g;
}

template <class T>
void Paint(const T* elements, const Grid& g, Picture* picture) {
  picture->width = g.across * g.width;
  picture->height = g.down * g.height;
  picture->channels = static_cast<int>(g.channels);
  picture->bytes.assign(
      static_cast<size_t>(picture->width * picture->height * g.channels), '\0');
  for (int64_t p = 0; p < g.count; ++p) {
    const T* from = elements + p * g.picture();
    int64_t top = p / g.across * g.height, left = p % g.across * g.width;
    for (int64_t y = 0; y < g.height; ++y) {
      char* to = picture->bytes.data() +
                 ((top + y) * picture->width + left) * g.channels;
      for (int64_t x = 0; x < g.width; ++x) {
        for (int64_t c = 0; c < g.channels; ++c) {
          *to++ = static_cast<char>(
              PixelOf(from[y * g.row + x * g.column + c * g.channel]));
        }
      }
    }
  }
}

}  // namespace

Result<Picture> Picture::Of(const Array& array, ImageLayout layout) {
  SL_ASSIGN_OR_RETURN(Grid grid, GridOf(array, layout));
  SL_ASSIGN_OR_RETURN(Array flat, array.AsContiguous());
  Picture picture;
  bool known = DispatchFloats(flat.dtype(), [&]<class T>() {
    Paint(static_cast<const T*>(flat.raw()), grid, &picture);
  });
  if (flat.dtype() == DType::kU8) {
    Paint(flat.data<uint8_t>(), grid, &picture);
  } else if (flat.dtype() == DType::kBool) {
    Paint(flat.data<bool>(), grid, &picture);
  } else if (!known) {
    return InvalidArgument(StrCat("a picture of ", flat.TypeText(),
                                  "; wanted u8, bool or floating point"));
  }
  return picture;
}

}  // namespace sluice::report
