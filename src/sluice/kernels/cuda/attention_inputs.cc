#include "sluice/kernels/cuda/attention_inputs.h"

#include "sluice/kernels/cuda/move.h"
#include "sluice/tensor/strided.h"

namespace sluice {

namespace {

constexpr int64_t kAligned = 256;  // alignment of allocators, in bytes

int64_t Aligned(int64_t bytes) {
  return (bytes + kAligned - 1) / kAligned * kAligned;
}

// The rows of an array at `at`. Empty if strides of rows and heads cannot
// describe them.
std::optional<GpuHeadRows> RowsOf(const void* at, const Shape& shape,
                                  const Strides& strides) {
  int rank = shape.rank();
  auto stride = [&](int axis) {
    return shape.dim(axis) == 1 ? 0 : strides[static_cast<size_t>(axis)];
  };
  if (shape.dim(rank - 1) > 1 && stride(rank - 1) != 1) return std::nullopt;
  GpuHeadRows rows{at, 0, rank > 2 ? stride(rank - 3) : 0, stride(rank - 2)};
  // The axes before are one where they follow each other evenly.
  int64_t size = 1;
  for (int i = rank - 4; i >= 0; --i) {
    if (shape.dim(i) == 1) continue;
    if (size == 1) rows.outer_step = stride(i);
    if (stride(i) != rows.outer_step * size) return std::nullopt;
    size *= shape.dim(i);
  }
  return rows;
}

}  // namespace

GpuAttentionMask::GpuAttentionMask(const Array& mask, const Shape& q,
                                   int64_t keys)
    : at(AddressOf(mask)) {
  int q_rank = q.rank();
  std::vector<int64_t> sizes(q.dims().begin(), q.dims().end());
  sizes.back() = keys;
  Strides strides = BroadcastStrides(mask, *Shape::Make(sizes));
  key_step = strides[static_cast<size_t>(q_rank - 1)];
  for (int i = q_rank - 2; i >= 0; --i) {
    dims[rank] = sizes[static_cast<size_t>(i)];
    steps[rank++] = strides[static_cast<size_t>(i)];
  }
}

int MaskKind(const KernelContext& ctx, int input) {
  if (ctx.num_inputs() <= input) return 0;
  return ctx.in(input).dtype() == DType::kBool ? 1 : 2;
}

Result<AttentionInputs> AttentionInputs::Make(const KernelContext& ctx,
                                              int in_rows, int count,
                                              int64_t more) {
  AttentionInputs inputs;
  inputs.rows_.resize(static_cast<size_t>(count));
  std::vector<int> copied;
  int64_t bytes = Aligned(more);
  for (int i = 0; i < count; ++i) {
    const Array& in = ctx.in(i);
    GpuHeadRows& rows = inputs.rows_[static_cast<size_t>(i)];
    rows.at = AddressOf(in);
    if (i < in_rows) {
      if (auto there = RowsOf(AddressOf(in), in.shape(), in.strides())) {
        rows = *there;
        continue;
      }
    }
    if (in.contiguous()) continue;
    copied.push_back(i);
    bytes += Aligned(in.bytes());
  }
  if (bytes == 0) return inputs;
  SL_ASSIGN_OR_RETURN(inputs.space_, ScratchFor(ctx, bytes));
  char* at = inputs.more();
  at += Aligned(more);
  for (int i : copied) {
    const Array& in = ctx.in(i);
    Strides strides = ContiguousStrides(in.shape());
    SL_RETURN_IF_ERROR(CopyRegionOnGpu(
        ctx, in.dtype(), in.shape(), AddressOf(in), in.strides(), at, strides));
    GpuHeadRows& rows = inputs.rows_[static_cast<size_t>(i)];
    rows.at = at;
    if (i < in_rows) rows = *RowsOf(at, in.shape(), strides);
    at += Aligned(in.bytes());
  }
  return inputs;
}

}  // namespace sluice
