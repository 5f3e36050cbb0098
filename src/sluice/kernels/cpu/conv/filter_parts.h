// The division of a kernel gradient into parts, for filter_grad.cc: the
// workspace and the tasks. Plain values that depend only on the shapes.
#pragma once

#include <algorithm>

#include "sluice/kernels/cpu/conv/carve.h"
#include "sluice/kernels/cpu/conv/conv_tile.h"
#include "sluice/kernels/cpu/conv/geometry.h"
#include "sluice/kernels/cpu/conv/tap_layout.h"
#include "sluice/kernels/cpu/elementwise.h"

namespace sluice {

// A task is a range of kernel elements ("columns") of a group, and a share of
// the pixels.
//
// A tile is mr x nr. Columns of image elements go along its longer side and
// channels of y's gradient along the other, or the reverse ("swapped") if that
// leaves fewer lanes empty.
template <class T>
struct FilterParts {
  using C = Compute<T>;

  FilterParts(const ConvGeometry& g, void* workspace) {
    columns = g.in_channels * g.taps();
    auto padded = [&](int64_t a, int64_t b) {
      return AlignUp(columns, a) * AlignUp(g.out_channels, b);
    };
    swapped = padded(tile.mr, tile.nr) < padded(tile.nr, tile.mr);
    column_lanes = swapped ? tile.mr : tile.nr;
    row_lanes = swapped ? tile.nr : tile.mr;
    column_panels = conv::CeilDiv(columns, column_lanes);
    row_panels = conv::CeilDiv(g.out_channels, row_lanes);
    direct = true;
    for (int i = 0; i < kConvAxes; ++i) {
      // An axis with one tap: only the elements it uses are copied.
      bool single = g.kernel[i] == 1;
      copy_step[i] = single ? g.stride[i] : 1;
      step[i] = single ? 1 : g.stride[i];
      length[i] =
          (g.out[i] - 1) * step[i] + (g.kernel[i] - 1) * g.dilation[i] + 1;
      direct = direct && single && g.stride[i] == 1 && g.pad[i] == 0 &&
               g.in[i] == g.out[i];
    }
    if (direct) length[0] = 0;
    group_copy = length[0] * length[1] * length[2] * g.in_channels;
    image_copy = g.groups * group_copy;
    images = ImagesPerRound(g.batch, image_copy * sizeof(C));
    // Packed gradients of a block of pixels fill about half the second-level
    // cache.
    constexpr int64_t kGradients = 160 << 10, kLeastBlock = 32;
    most_pixels = std::clamp(kGradients / (row_panels * row_lanes), kLeastBlock,
                             kBlockDepth);
    int64_t blocks = conv::CeilDiv(images * g.out_pixels(), most_pixels);
    // Enough tasks to keep every thread busy to the end: partial sums while
    // they stay small, then ranges of columns.
    constexpr int64_t kTasks = 16, kSumBytes = 8 << 20;
    sum_size = row_panels * row_lanes * column_panels * column_lanes;
    splits =
        kSumBytes / static_cast<int64_t>(sizeof(C)) / (g.groups * sum_size);
    splits = std::clamp<int64_t>(splits, 1, conv::CeilDiv(kTasks, g.groups));
    splits = std::min(splits, blocks);
    ranges = std::min(conv::CeilDiv(kTasks, g.groups * splits),
                      conv::CeilDiv(column_panels, 8));
    panels_per_range = conv::CeilDiv(column_panels, ranges);
    ranges = conv::CeilDiv(column_panels, panels_per_range);
    Carve carve(workspace);
    copies = carve.Take<C>(images * image_copy);
    sums = carve.Take<C>(g.groups * splits * sum_size);
    gradient_size = row_panels * row_lanes * most_pixels;
    gradients = carve.Take<C>(g.groups * splits * ranges * gradient_size);
    bytes = carve.bytes();
  }

  ConvTile<C> tile = TileOf<C>();
  bool swapped;
  int column_lanes, row_lanes;                 // of a panel
  int64_t columns, column_panels, row_panels;  // of a group
  bool direct;         // x itself provides the columns: nothing is copied
  ConvAxes length;     // of a copied image
  ConvAxes copy_step;  // elements of x from one copied position to the next
  ConvAxes step;       // copied positions from one output to the next
  int64_t group_copy, image_copy;
  int64_t images;  // per round
  int64_t most_pixels, splits, ranges, panels_per_range;
  int64_t sum_size, gradient_size;
  C* copies;     // [image][group][position][channel]
  C* sums;       // [group][split][row][column], swapped [column][row]
  C* gradients;  // [task][panel][pixel][lane]
  int64_t bytes;
};

}  // namespace sluice
