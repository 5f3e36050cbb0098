// Shared by Tril and Triu: matrices with one side of a diagonal kept.
#pragma once

#include <algorithm>

#include "sluice/base/worker_pool.h"
#include "sluice/kernels/reference.h"
#include "sluice/op/record.h"
#include "sluice/tensor/copy_bytes.h"
#include "sluice/tensor/dispatch.h"

namespace sluice::triangle {

inline Status shape(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRankAtLeast(0, 2));
  return shapes::same_as_first(c);
}

// Row r keeps its first r + k + 1 elements (lower), or all but its first r + k.
template <bool lower>
Status kernel(KernelContext& ctx) {
  const Array &x = ctx.in(0), &y = ctx.out(0);
  if (x.num_elements() == 0) return OkStatus();
  int64_t rows = x.dim(x.rank() - 2), columns = x.dim(x.rank() - 1);
  // Larger values change nothing, and sums of clamped ones do not overflow.
  int64_t k = std::clamp(ctx.attr<int64_t>("k"), -rows, columns);
  bool same = x.address() == y.address();
  DispatchBySize(x.dtype(), [&]<class T>() {
    const T* from = static_cast<const T*>(x.raw());
    T* to = static_cast<T*>(y.mutable_raw());
    int64_t grain = std::max<int64_t>(
        1, (128 << 10) / (columns * static_cast<int64_t>(sizeof(T))));
    ParallelFor(
        ctx.step().pool, x.num_elements() / columns, grain,
        [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            int64_t cut =
                std::clamp<int64_t>(i % rows + k + (lower ? 1 : 0), 0, columns);
            int64_t first = lower ? 0 : cut, last = lower ? cut : columns;
            T* row = to + i * columns;
            if (!same) {
              CopyBytes(
                  reinterpret_cast<char*>(row + first),
                  reinterpret_cast<const char*>(from + i * columns + first),
                  (last - first) * static_cast<int64_t>(sizeof(T)));
            }
            std::fill(row, row + first, T{0});
            std::fill(row + last, row + columns, T{0});
          }
        });
  });
  return OkStatus();
}

template <bool lower>
std::vector<RefArray> reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  return {ref::Build(in[0].shape, [&](const Ints& index) {
    auto r = static_cast<double>(index[index.size() - 2]);
    auto c = static_cast<double>(index.back());
    double k = static_cast<double>(attrs.get<int64_t>("k"));
    return (lower ? c - r <= k : c - r >= k) ? ref::At(in[0], index) : 0;
  })};
}

inline std::vector<Sample> Samples() {
  return {{.in = {{3, 3}}},
          {.in = {{3, 5}}, .attrs = {{"k", 1}}},
          {.in = {{2, 5, 3}}, .attrs = {{"k", -2}}},
          {.in = {{4, 4}}, .attrs = {{"k", 4}}},
          {.in = {{4, 4}}, .attrs = {{"k", -4}}},
          {.in = {{2, 3}}, .attrs = {{"k", INT64_MAX}}},
          {.in = {{2, 3}}, .attrs = {{"k", INT64_MIN}}},
          {.in = {{0, 3}}},
          {.in = {{3, 0}}},
          {.in = {{3, 170, 190}}, .only = {DType::kF32, DType::kI8}}};
}

inline std::vector<Reject> Rejects(std::string_view op) {
  std::string name(op);
  return {{.in = {{3}},
           .message = "[" + name + "] x is f32[3]; wanted rank 2 or more"},
          {.in = {Array::Of<std::string>({1, 1}, {"a"})},
           .message = "[" + name + "] x is string; wanted one of "}};
}

}  // namespace sluice::triangle
