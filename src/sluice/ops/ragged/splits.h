// Shared by the ops on ragged rows. A ragged array consists of its values, the
// rows one after the other along axis 0, and its splits, a vector of i64 with
// the start of each row and the end of the last one: row r is values[splits[r],
// splits[r + 1]). Splits are data: every op checks them before it uses them to
// read a value.
#pragma once

#include <algorithm>
#include <span>

#include "sluice/base/checked_math.h"
#include "sluice/base/strings.h"
#include "sluice/base/worker_pool.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/shape_value.h"
#include "sluice/op/record.h"

namespace sluice::ragged {

// Error unless splits begin at 0, never fall and end at `total` (when that is
// not negative). Context: a ShapeContext or a KernelContext.
template <class Context, class I>
Status CheckSplits(const Context& c, int input, std::span<const I> splits,
                   int64_t total) {
  auto error = [&](size_t i, std::string_view wanted) {
    return c.Error(StrCat(c.op().InputName(input), "[", i, "] is ",
                          int64_t{splits[i]}, wanted));
  };
  if (splits.empty()) {
    return c.Error(StrCat(c.op().InputName(input),
                          " is empty; wanted one number more than rows"));
  }
  if (splits[0] != 0) return error(0, "; wanted 0, where the first row begins");
  for (size_t i = 1; i < splits.size(); ++i) {
    if (splits[i] >= splits[i - 1]) continue;
    return error(i, StrCat(" after ", int64_t{splits[i - 1]},
                           "; wanted splits that never fall"));
  }
  if (total >= 0 && splits.back() != total) {
    return error(splits.size() - 1,
                 StrCat("; wanted ", total, ", the number of values"));
  }
  return OkStatus();
}

// For kernels, whose inputs are contiguous.
inline Status CheckSplits(const KernelContext& ctx, int input, int64_t total) {
  return CheckSplits(ctx, input, ctx.in(input).i64s(), total);
}

// For shape functions: input i is a vector of at least one number. If splits
// are known, checks them and returns the end of the last row; else kUnknownDim.
// `total` as above.
inline Result<int64_t> EndOfRows(const ShapeContext& c, int i,
                                 int64_t total = kUnknownDim) {
  SL_RETURN_IF_ERROR(c.WantRank(i, 1));
  if (c.in(i).rank_known() && c.in(i)[0] == 0) {
    return c.Error(StrCat(c.Describe(i), "; wanted one number more than rows"));
  }
  if (!c.value(i)) return kUnknownDim;
  PoolVector<int64_t> splits = IntValues(*c.value(i));
  std::span<const int64_t> all(splits.data(), splits.size());
  SL_RETURN_IF_ERROR(CheckSplits(c, i, all, total));
  return all.back();
}

inline int64_t RowsOf(const PartialShape& splits) {
  return splits.rank_known() && splits[0] > 0 ? splits[0] - 1 : kUnknownDim;
}
inline int64_t FirstDim(const PartialShape& shape) {
  return shape.rank_known() && shape[0] >= 0 ? shape[0] : kUnknownDim;
}

// `first`, then the axes of x from `axis` on.
inline Result<PartialShape> WithFirst(const ShapeContext& c, Ints first,
                                      const PartialShape& x, int axis = 1) {
  if (!x.rank_known()) return PartialShape::Unknown();
  for (int i = axis; i < x.rank(); ++i) first.push_back(x[i]);
  return MakeOutShape(c, first);
}

// Elements of one slice along the first `axes` axes.
inline int64_t InnerOf(const Shape& shape, int axes = 1) {
  int64_t inner = 1;
  for (int i = axes; i < shape.rank(); ++i) inner *= shape.dim(i);
  return inner;
}

// body(row) for every row; tasks are groups of rows with about `grain` of the
// total `work`, independent of the threads.
template <class F>
void ForRows(WorkerPool* pool, int64_t rows, int64_t work, F&& body,
             int64_t grain = 1 << 14) {
  int64_t tasks =
      std::clamp<int64_t>(work / grain, 1, std::max<int64_t>(rows, 1));
  ParallelFor(pool, rows, (rows + tasks - 1) / tasks,
              [&](int64_t begin, int64_t end) {
                for (int64_t r = begin; r < end; ++r) body(r);
              });
}

// ---- For references and samples ----
inline Array Splits(std::initializer_list<int64_t> splits) {
  return Array::Vector<int64_t>(splits);
}
// n values in rows of all lengths from 0 to 12, and a longer one at the end.
inline Array ManySplits(int64_t rows, int64_t n) {
  Array splits = Array::Zeros(DType::kI64, Shape({rows + 1}));
  for (int64_t r = 1; r <= rows; ++r) {
    int64_t* at = splits.mutable_data<int64_t>() + r;
    *at = r == rows ? n : std::min(n, at[-1] + r * 7 % 13);
  }
  return splits;
}
inline int64_t At(const RefArray& splits, size_t i) {
  return static_cast<int64_t>(splits.v[i]);
}
// The row of each value.
inline Ints RowIds(const RefArray& splits) {
  Ints ids;
  for (size_t r = 0; r + 1 < splits.v.size(); ++r) {
    ids.insert(ids.end(),
               static_cast<size_t>(At(splits, r + 1) - At(splits, r)),
               static_cast<int64_t>(r));
  }
  return ids;
}
inline RefArray RefInts(const Ints& values) {
  return {Shape({static_cast<int64_t>(values.size())}),
          std::vector<double>(values.begin(), values.end())};
}

// Splits at input `at` that every op rejects; the other inputs are `in`.
inline std::vector<Reject> SplitsRejects(std::string_view op,
                                         std::vector<SampleInput> in, size_t at,
                                         std::string_view name = "splits") {
  std::vector<Reject> out;
  auto add = [&](Array splits, std::string_view text) {
    in[at] = SampleInput(splits);
    out.push_back({.in = in, .message = StrCat("[", op, "] ", name, text)});
  };
  add(Splits({1, 3}), "[0] is 1; wanted 0, where the first row begins");
  add(Splits({0, 3, 2, 3}), "[2] is 2 after 3; wanted splits that never fall");
  add(Splits({0, INT64_MIN}), "[1] is -9223372036854775808 after 0");
  add(Splits({}), " is i64[0]; wanted one number more than rows");
  add(Array::Of<int64_t>({1, 1}, {0}), " is i64[1,1]; wanted rank 1");
  return out;
}
inline std::vector<Reject> operator+(std::vector<Reject> a,
                                     std::vector<Reject> b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace sluice::ragged
