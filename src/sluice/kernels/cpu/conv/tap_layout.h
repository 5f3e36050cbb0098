// TapLayout: where the elements a correlation reads lie, so that those of
// neighbouring outputs on a row are neighbours in memory whatever the stride,
// and none is outside. Output position q and tap t of a channel read
//
//   origin + q[0] * step[0] + q[1] * step[1] + q[2] + TapOffset(t)
//
// The source itself serves where nothing is padded and rows are not strided.
// Otherwise an image is copied: zeros around it, and on each axis the elements
// some tap meets split by their remainder modulo the stride ("phases"):
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
  // Of a copy.
  ConvAxes phases, length;

  int64_t TapOffset(const ConvAxes& tap) const;
  // offsets[channel * taps + tap] for `channels` channels.
  void FillOffsets(int64_t channels, int64_t* offsets) const;
};

// may_borrow: the source's elements are of the type computed with, and reads
// beyond a row's end are not wanted.
TapLayout MakeTapLayout(const Correlation& c, bool may_borrow);

// One channel of one image into its place in a copy, and back: the copy's
// elements to where they came from, zeros where no tap reads. T is the
// source's type, C the copy's.
template <class T, class C>
void CopyToTaps(const TapLayout& layout, const T* channel, C* copy);
template <class T, class C>
void CopyFromTaps(const TapLayout& layout, const C* copy, T* channel);

// How many of `images` images of `bytes` bytes each to have in memory at once:
// all, or few enough for the shared cache, in rounds of equal size.
int64_t ImagesPerRound(int64_t images, int64_t bytes);

}  // namespace sluice
