// TapLayout: the positions of the elements that a correlation reads, such that
// those of adjacent outputs on a row are adjacent in memory for any stride, and
// none is out of bounds. Output position q and tap t of a channel read
//
//   origin + q[0] * step[0] + q[1] * step[1] + q[2] + TapOffset(t)
//
// The source itself is used if there is no padding and rows are not strided.
// Otherwise an image is copied with zeros around it; on each axis the elements
// used by some tap are split by their remainder modulo the stride ("phases"):
//
//   copy[channel][phase 0][length 0][phase 1][length 1][phase 2][length 2]
//
// Plain values; the functions may run on any thread.
#pragma once

#include "sluice/kernels/cpu/conv/geometry.h"

namespace sluice {

struct TapLayout {
  bool copied;
  int64_t image, channel;  // elements from one to the next
  int64_t origin;
  ConvAxes step;  // from one output position to the next
  ConvAxes in, stride, dilation, pad, kernel;
  // For a copy.
  ConvAxes phases, length;

  int64_t TapOffset(const ConvAxes& tap) const;
  // offsets[channel * taps + tap] for `channels` channels.
  void FillOffsets(int64_t channels, int64_t* offsets) const;
};

// may_borrow: the source has the type of the computation, and no reads beyond
// the end of a row are needed.
TapLayout MakeTapLayout(const Correlation& c, bool may_borrow);

// Copies one channel of one image to its place in a copy; and the reverse: the
// copy's elements to their origins, zeros where no tap reads. T is the source's
// type, C the copy's.
template <class T, class C>
void CopyToTaps(const TapLayout& layout, const T* channel, C* copy);
template <class T, class C>
void CopyFromTaps(const TapLayout& layout, const C* copy, T* channel);

// How many of `images` images of `bytes` bytes each to hold in memory at once:
// all, or few enough for the shared cache, in rounds of equal size.
int64_t ImagesPerRound(int64_t images, int64_t bytes);

}  // namespace sluice
