// Batching rules that ops writing at indices share.
#pragma once

#include "sluice/op/batch_rules.h"

namespace sluice::scatter_batch {

// x, tuples of indices, updates.
inline bool tuples(BatchContext& b) {
  int rank = b.rank(1);
  if (rank < 1) return false;
  return b.set_all({b.full(0),
                    batch_rules::with_lane_numbers(b, b.full(1), rank),
                    b.full(2)});
}

// x, indices, updates: slices along an axis, at the same indices in all lanes.
inline bool slices(BatchContext& b) {
  if (b.batched(1) || b.rank(0) < 1) return false;
  return b.set_all({b.full(0), b.in(1), b.full(2)}, b.shifted_axis(b.rank(0)));
}

}  // namespace sluice::scatter_batch
