// Correlations with very few output channels per group, above all depthwise
// ones: they would not fill a tile, so rows of outputs are summed in registers
// directly from a padded copy of the image. Plain functions; any thread.
#pragma once

#include "sluice/kernels/cpu/conv/finished.h"
#include "sluice/kernels/cpu/conv/tap_layout.h"

namespace sluice {

class WorkerPool;

inline constexpr int64_t kFewRows = 4;
// Elements after the end of the copies that may be read (and ignored).
inline constexpr int64_t kReadBeyond = 16;

template <class T>
struct FewRows {
  using C = Compute<T>;
  const Correlation& c;
  const TapLayout& layout;  // of the copies
  const C* weights;         // [group][depth][rows]
  const int64_t* offsets;
  const C* source;
  const Finished<T>& finished;
  int64_t images;

  void Run(WorkerPool* pool) const;
};

}  // namespace sluice
