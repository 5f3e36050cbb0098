// AttentionInputs: what attention reads on a GPU, where its kernels can read
// it. Inputs that lie in memory otherwise are copied, in the stream's order.
//
// Lives until all of the launch has been issued: its copies are given to others
// then, in the stream's order. Used by one thread.
#pragma once

#include <optional>
#include <vector>

#include "sluice/kernels/cuda/cuda_kernel.h"

namespace sluice {

// Rows of every head, as source/flash_tile.cuh has them: those of head h begin
// at h / inner * outer_step + h % inner * inner_step, with `inner` heads along
// axis -3.
struct GpuHeadRows {
  const void* at = nullptr;
  int64_t outer_step = 0, inner_step = 0, row_step = 0;
};

// As source/attention_mask.cuh has it.
struct GpuAttentionMask {
  static constexpr int kAxes = 8;
  static_assert(kAxes >= kMaxRank);

  const void* at = nullptr;
  // Of the axes of the queries, the innermost first.
  int64_t rank = 0, dims[kAxes] = {}, steps[kAxes] = {};
  int64_t key_step = 0;

  GpuAttentionMask() = default;
  // REQUIRES: it broadcasts to q's shape with `keys` along the last axis.
  GpuAttentionMask(const Array& mask, const Shape& q, int64_t keys);
};
// SL_MASK of sources: 0 none, 1 says who is seen, 2 is added.
int MaskKind(const KernelContext& ctx, int input);

class AttentionInputs {
 public:
  // Inputs before `in_rows` need rows whose elements are side by side and heads
  // that follow each other evenly; those from there to `count` row-major order.
  // `more`: bytes of scratch space wanted besides.
  static Result<AttentionInputs> Make(const KernelContext& ctx, int in_rows,
                                      int count, int64_t more = 0);

  char* at(int i) const {
    return static_cast<char*>(const_cast<void*>(rows(i).at));
  }
  const GpuHeadRows& rows(int i) const { return rows_[static_cast<size_t>(i)]; }
  // REQUIRES: it was asked for.
  char* more() const { return AddressOf<char>(space_); }

 private:
  std::vector<GpuHeadRows> rows_;
  Array space_;
};

}  // namespace sluice
