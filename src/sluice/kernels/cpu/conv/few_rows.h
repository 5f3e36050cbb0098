// Correlations with very few output channels per group, depthwise ones above
// all: no tile would be filled, so rows of outputs are summed in registers
// straight from a padded copy of the image.
#pragma once

#include "sluice/kernels/cpu/conv/finished.h"
#include "sluice/kernels/cpu/conv/tap_layout.h"

namespace sluice {

class WorkerPool;

inline constexpr int64_t kFewRows = 4;
// Elements that may be read (and not used) behind the last one of the copies.
inline constexpr int64_t kReadBeyond = 16;

template <class T>
struct FewRows {
  using C = Compute<T>;
  const Correlation& c;
  const TapLayout& layout;  // copied
  const C* weights;         // [group][depth][rows]
  const int64_t* offsets;
  const C* source;
  const Finished<T>& finished;
  int64_t images;

  void Run(WorkerPool* pool) const;
};

}  // namespace sluice
