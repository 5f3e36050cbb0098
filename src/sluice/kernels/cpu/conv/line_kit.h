// The loops of few_lines_loop.h compiled for this machine. Constants; any
// thread.
#pragma once

#include <cstdint>

#include "sluice/kernels/cpu/conv/few_lines_loop.h"

namespace sluice::conv {

// Blocks of kLeastBlockLines to kBlockLines lines by `least` to `most` vectors
// of `count` elements, for one number of kernel rows.
struct LineKit {
  using Fn = void (*)(const LineBlock*);
  static constexpr int kMostVectors = 4;

  int least, most, count;
  Fn run[kBlockLines - kLeastBlockLines + 1][kMostVectors];

  Fn For(int64_t lines, int64_t vectors) const {
    return run[lines - kLeastBlockLines][vectors - 1];
  }
};
inline constexpr int kMostLineCount = 16;  // of a LineKit

// REQUIRES: kLeastKernelRows <= kernel_rows <= kMostKernelRows.
const LineKit& LineKitFor(int64_t kernel_rows);

}  // namespace sluice::conv
