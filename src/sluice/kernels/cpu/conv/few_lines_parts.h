// The division of a launch of few_lines.cc into tasks, and its workspace. Plain
// values that depend only on the shapes and the machine's vectors.
#pragma once

#include <algorithm>
#include <type_traits>

#include "sluice/kernels/cpu/conv/carve.h"
#include "sluice/kernels/cpu/conv/conv_tile.h"
#include "sluice/kernels/cpu/conv/geometry.h"
#include "sluice/kernels/cpu/conv/line_kit.h"
#include "sluice/kernels/cpu/conv/tap_layout.h"

namespace sluice {

// The number of floats for copies of the lines of one block, on a task's stack.
inline constexpr int64_t kLineCopies = kPanelBytes / sizeof(float);

// A task is a number of blocks of lines of a group of an image.
template <class T>
struct LineParts {
  LineParts(const Correlation& c, void* workspace)
      : kit(conv::LineKitFor(c.kernel[1])) {
    lines = conv::kBlockLines + c.kernel[1] - 1;
    reach = (c.kernel[2] - 1) * c.dilation[2];
    // Lines are copied in parts if whole ones do not fit.
    constexpr int64_t kLeastColumns = 16;
    int64_t least = kit.least * kit.count;
    int64_t whole = std::max(AlignUp(c.out[2], kit.count), least);
    int64_t room =
        (kLineCopies / (lines * c.channels) - reach) / kit.count * kit.count;
    fits = room >= std::min(whole, std::max(least, kLeastColumns));
    column_parts = fits ? conv::CeilDiv(whole, room) : 1;
    line_size = reach + std::min(whole, room);
    constexpr int64_t kBorrowed = 256 << 10;
    borrows = std::is_same_v<T, float> &&
              c.channels * c.in_pixels() * int64_t{sizeof(T)} <= kBorrowed;
    blocks = conv::CeilDiv(c.out[1], conv::kBlockLines);
    // Enough tasks for every thread.
    constexpr int64_t kTasks = 16;
    line_parts = std::clamp<int64_t>(conv::CeilDiv(kTasks, c.batch * c.groups),
                                     1, blocks);
    channel_weights = c.kernel[2] * conv::ColumnWeights(c.kernel[1]);
    int64_t sum =
        std::is_same_v<T, float> ? 0 : c.groups * c.rows * c.out_pixels();
    images = ImagesPerRound(c.batch, sum * sizeof(float));
    Carve carve(workspace);
    weights =
        carve.Take<float>(c.groups * c.rows * c.channels * channel_weights);
    sums = carve.Take<float>(images * sum);
    bytes = carve.bytes();
  }

  const conv::LineKit& kit;
  bool fits;
  // Lines are read in place. Distant channels would conflict in the first-level
  // cache and need a page each: then lines are copied together.
  bool borrows;
  int64_t lines;      // lines of the image that a block of outputs uses
  int64_t reach;      // elements from the first to the last column of a kernel
  int64_t line_size;  // of a copied line of one channel
  int64_t column_parts;  // of a line
  int64_t blocks, line_parts;
  int64_t channel_weights;
  int64_t images;  // per round
  float* weights;  // [group][row][channel][kernel column][ColumnWeights]
  float* sums;
  int64_t bytes;
};

}  // namespace sluice
