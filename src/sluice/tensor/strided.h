// Iterates over and copies strided arrays. A StridedWalk visits the elements of
// one shape in row-major order for several operands at once, merging axes with
// uniform strides in all operands, so that the inner run is as long as
// possible.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "sluice/tensor/array.h"

namespace sluice {

class WorkerPool;

bool IsContiguous(const Shape& shape, const Strides& strides);

// `array`'s strides for the broadcast shape `to`: broadcast axes have stride 0.
// REQUIRES: array's shape broadcasts to `to`.
Strides BroadcastStrides(const Array& array, const Shape& to);
Strides BroadcastStrides(const Shape& shape, const Strides& strides,
                         const Shape& to);

// Copies a region of `shape` from one strided place to another: whole runs by
// memcpy, transposed ones in square tiles, large ones on the pool's threads
// (null: on this one). Pointers are to the region's first element. REQUIRES:
// the regions do not overlap; strings are constructed on both sides.
void CopyRegion(DType dtype, const Shape& shape, const void* from,
                const Strides& from_strides, void* to,
                const Strides& to_strides, WorkerPool* pool = nullptr);

// REQUIRES: equal dtype and shape; `target` contiguous and not overlapping.
void CopyStrided(const Array& source, const Array& target,
                 WorkerPool* pool = nullptr);

// This array, or a row-major copy if it is strided.
Result<Array> MakeContiguous(const Array& array, WorkerPool* pool);

template <int N>
class StridedWalk {
 public:
  StridedWalk(const Shape& shape, const std::array<Strides, N>& strides) {
    for (int axis = 0; axis < shape.rank(); ++axis) {
      auto a = static_cast<size_t>(axis);
      if (shape.dim(axis) == 1) continue;
      bool merges = rank_ > 0;
      for (int n = 0; n < N && merges; ++n) {
        merges = strides_[n][rank_ - 1] == strides[n][a] * shape.dim(axis);
      }
      if (!merges) ++rank_;
      dims_[rank_ - 1] = (merges ? dims_[rank_ - 1] : 1) * shape.dim(axis);
      for (int n = 0; n < N; ++n) strides_[n][rank_ - 1] = strides[n][a];
    }
    if (rank_ == 0) {
      rank_ = 1;
      dims_[0] = 1;
    }
    count_ = shape.num_elements();
  }

  // Calls run(offsets, inner strides, length) for each innermost run; offsets
  // are in elements, one per operand.
  template <class F>
  void ForEachRun(F&& run) const {
    if (count_ == 0) return;
    std::array<int64_t, N> offset{}, inner{};
    for (int n = 0; n < N; ++n) inner[n] = strides_[n][rank_ - 1];
    std::array<int64_t, kMaxRank> index{};
    for (;;) {
      run(offset, inner, dims_[rank_ - 1]);
      int axis = rank_ - 2;
      for (; axis >= 0; --axis) {
        for (int n = 0; n < N; ++n) offset[n] += strides_[n][axis];
        if (++index[axis] < dims_[axis]) break;
        for (int n = 0; n < N; ++n)
          offset[n] -= strides_[n][axis] * dims_[axis];
        index[axis] = 0;
      }
      if (axis < 0) return;
    }
  }

 private:
  int rank_ = 0;
  int64_t count_ = 0;
  std::array<int64_t, kMaxRank> dims_{};
  std::array<std::array<int64_t, kMaxRank>, N> strides_{};
};

}  // namespace sluice
