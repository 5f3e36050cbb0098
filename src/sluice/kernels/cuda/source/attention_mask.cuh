// A mask of attention: one element for each query and key, after broadcasting.
// SL_MASK: 0 none, 1 boolean visibility, 2 added to the scores.
#pragma once

#include "sluice/cuda/affine.cuh"

namespace sluice {

constexpr int kMaskAxes = 8;

// As in kernels/cuda/attention_inputs.h: the strides along the axes of the
// queries, innermost first, and from key to key.
struct AttentionMask {
  const void* at;
  int64_t rank, dims[kMaskAxes], steps[kMaskAxes], key_step;

  // The offset of the elements of a query, numbered over all heads.
  int64_t Place(int64_t query, int first_axis = 0) const {
    int64_t place = 0;
#pragma unroll 1
    for (int k = first_axis; k < rank; ++k) {
      int64_t rest = Quotient(query, dims[k]);
      place += (query - rest * dims[k]) * steps[k];
      query = rest;
    }
    return place;
  }
  // The same for a head's first query.
  int64_t HeadPlace(int64_t head) const { return Place(head, 1); }
  bool Sees(int64_t place) const {
    return static_cast<const uint8_t*>(at)[place];
  }
  float Added(int64_t place) const {
    return static_cast<const float*>(at)[place];
  }
};

}  // namespace sluice
