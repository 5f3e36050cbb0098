// Walk: how a kernel iterates over strided operands of one shape: axes of size
// one are dropped, and axes that are contiguous in all operands are merged.
//
// A plain value.
#pragma once

#include <array>
#include <span>

#include "sluice/tensor/array.h"

namespace sluice {

inline constexpr int kMaxWalkRank = 8;  // as in source/elementwise.cuh

template <size_t kOperands>
struct GpuWalk {
  int rank = 0;
  std::array<int64_t, kMaxWalkRank> size{};  // the innermost axis first
  std::array<std::array<int64_t, kMaxWalkRank>, kOperands> stride{};
  bool fits = true;  // no more than kMaxWalkRank axes

  GpuWalk(const Shape& shape, std::span<const Strides> strides) {
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
      auto a = static_cast<size_t>(axis);
      int64_t n = shape.dim(axis);
      if (n == 1) continue;
      auto last = static_cast<size_t>(rank - 1);
      bool merges = rank > 0;
      for (size_t k = 0; k < strides.size() && merges; ++k) {
        merges = strides[k][a] == stride[k][last] * size[last];
      }
      if (merges) {
        size[last] *= n;
        continue;
      }
      if (rank == kMaxWalkRank) {
        fits = false;
        return;
      }
      auto next = static_cast<size_t>(rank++);
      size[next] = n;
      for (size_t k = 0; k < strides.size(); ++k) {
        stride[k][next] = strides[k][a];
      }
    }
  }
};

}  // namespace sluice
