// AttentionInputs: the inputs of attention on a GPU, in layouts that its
// kernels support. Other inputs are copied, in stream order.
//
// Lives until the whole launch has been issued; then the memory of its copies
// is released in stream order. Used by one thread.
#pragma once

#include <optional>
#include <vector>

#include "sluice/kernels/cuda/cuda_kernel.h"

namespace sluice {

// The rows of every head, as in source/flash_tile.cuh: those of head h start at
// h / inner * outer_step + h % inner * inner_step, with `inner` heads along
// axis -3.
struct GpuHeadRows {
  const void* at = nullptr;
  int64_t outer_step = 0, inner_step = 0, row_step = 0;
};

// As in source/attention_mask.cuh.
struct GpuAttentionMask {
  static constexpr int kAxes = 8;
  static_assert(kAxes >= kMaxRank);

  const void* at = nullptr;
  // For the axes of the queries, innermost first.
  int64_t rank = 0, dims[kAxes] = {}, steps[kAxes] = {};
  int64_t key_step = 0;

  GpuAttentionMask() = default;
  // REQUIRES: it broadcasts to q's shape with `keys` along the last axis.
  GpuAttentionMask(const Array& mask, const Shape& q, int64_t keys);
};
// SL_MASK of sources: 0 none, 1 boolean visibility, 2 added to the scores.
int MaskKind(const KernelContext& ctx, int input);

class AttentionInputs {
 public:
  // Inputs before `in_rows` need rows with contiguous elements and evenly
  // spaced heads; inputs from there to `count` need row-major order. `more`:
  // additional bytes of scratch space.
  static Result<AttentionInputs> Make(const KernelContext& ctx, int in_rows,
                                      int count, int64_t more = 0);

  char* at(int i) const {
    return static_cast<char*>(const_cast<void*>(rows(i).at));
  }
  const GpuHeadRows& rows(int i) const { return rows_[static_cast<size_t>(i)]; }
  // REQUIRES: `more` was requested.
  char* more() const { return AddressOf<char>(space_); }

 private:
  std::vector<GpuHeadRows> rows_;
  Array space_;
};

}  // namespace sluice
