// Shared by the segment reductions: shapes, checks, the naive reference and
// samples. The sorted family takes ids in ascending order, the last of which
// determines the number of segments; the unsorted family takes ids in any order
// and the number of segments.
#pragma once

#include <algorithm>
#include <limits>

#include "sluice/base/strings.h"
#include "sluice/kernels/cpu/indices.h"
#include "sluice/kernels/cpu/segment.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/shape_value.h"
#include "sluice/op/record.h"
#include "sluice/tensor/dispatch.h"

namespace sluice::segment {

// The output: `segments`, then the axes of data behind those of ids.
inline Status SetOut(ShapeContext& c, int64_t segments) {
  const PartialShape &data = c.in(0), &ids = c.in(1);
  if (!data.rank_known() || !ids.rank_known()) return OkStatus();
  bool fits = ids.rank() <= data.rank();
  for (int i = 0; fits && i < ids.rank(); ++i) {
    fits = ids[i] < 0 || data[i] < 0 || ids[i] == data[i];
  }
  if (!fits) {
    return c.Error(StrCat(c.Describe(0), ", ", c.Describe(1),
                          "; wanted data to begin with the sizes of ids"));
  }
  Ints dims{segments};
  for (int i = ids.rank(); i < data.rank(); ++i) dims.push_back(data[i]);
  SL_ASSIGN_OR_RETURN(PartialShape out, MakeOutShape(c, dims));
  c.set_out(0, out);
  return OkStatus();
}

// The last id of a vector, whatever its stride.
inline int64_t LastId(const Array& ids) {
  int64_t at = (ids.dim(0) - 1) * ids.strides()[0], last = 0;
  DispatchIndex(ids.dtype(), [&]<class I>() { last = ids.data<I>()[at]; });
  return last;
}

inline Status sorted_shape(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRankAtLeast(0, 1));
  SL_RETURN_IF_ERROR(c.WantRank(1, 1));
  int64_t segments = kUnknownDim;
  if (const Array* ids = c.value(1)) {
    int64_t last = ids->num_elements() == 0 ? -1 : LastId(*ids);
    // The kernel rejects invalid ids and names them.
    segments = last < -1             ? 0
               : last < kMaxElements ? last + 1
                                     : kMaxElements + 1;
  }
  return SetOut(c, segments);
}

inline Status unsorted_shape(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRank(2, 0));
  int64_t segments = kUnknownDim;
  if (const Array* n = c.value(2)) {
    segments = n->data<int64_t>()[0];
    if (segments < 0) {
      return c.Error(
          StrCat("num_segments is ", segments, "; wanted 0 or more"));
    }
  }
  return SetOut(c, segments);
}

template <SegmentKind kind>
Status sorted_kernel(KernelContext& ctx) {
  const Array& ids = ctx.in(1);
  Status status;
  DispatchIndex(ids.dtype(), [&]<class I>() {
    const I* id = ids.data<I>();
    for (int64_t i = 0, last = 0; i < ids.num_elements(); last = id[i++]) {
      if (id[i] >= last) continue;
      status = ctx.Error(StrCat("ids[", i, "] is ", int64_t{id[i]}, " after ",
                                last, "; wanted ids from 0 that never fall"));
      return;
    }
  });
  SL_RETURN_IF_ERROR(status);
  SL_RETURN_IF_ERROR(CheckIndicesBelow(ctx, 1, ctx.out(0).dim(0)));
  return ReduceSegments(ctx, kind);
}

template <SegmentKind kind>
Status unsorted_kernel(KernelContext& ctx) {
  SL_RETURN_IF_ERROR(CheckIndicesBelow(ctx, 1, ctx.out(0).dim(0)));
  return ReduceSegments(ctx, kind);
}

// Folds the numbers of every segment in order.
using Fold = double (*)(const std::vector<double>&);

inline std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                       int64_t segments, Fold fold) {
  const Shape &data = in[0].shape, &ids = in[1].shape;
  Ints dims = ref::DimsOf(data);
  dims.erase(dims.begin(), dims.begin() + ids.rank());
  dims.insert(dims.begin(), segments);
  return {ref::Build(ref::MakeShape(dims), [&](const Ints& index) {
    std::vector<double> group;
    ref::ForEach(ids, [&](Ints row) {
      if (ref::At(in[1], row) != static_cast<double>(index[0])) return;
      row.insert(row.end(), index.begin() + 1, index.end());
      group.push_back(ref::At(in[0], row));
    });
    return fold(group);
  })};
}

template <Fold fold>
std::vector<RefArray> sorted_reference(const std::vector<RefArray>& in,
                                       const Attrs&) {
  int64_t n = in[1].v.empty() ? 0 : static_cast<int64_t>(in[1].v.back()) + 1;
  return Reference(in, n, fold);
}
template <Fold fold>
std::vector<RefArray> unsorted_reference(const std::vector<RefArray>& in,
                                         const Attrs&) {
  return Reference(in, static_cast<int64_t>(in[2].v[0]), fold);
}

inline double FoldSum(const std::vector<double>& v) {
  double sum = 0;
  for (double x : v) sum += x;
  return sum;
}
inline double FoldMean(const std::vector<double>& v) {
  return v.empty() ? 0 : FoldSum(v) / static_cast<double>(v.size());
}
inline double FoldProd(const std::vector<double>& v) {
  double product = 1;
  for (double x : v) product *= x;
  return product;
}
// Samples leave no segment of these empty: the limits depend on the type
// (segment_test.cc tests those).
inline double FoldMin(const std::vector<double>& v) {
  return *std::min_element(v.begin(), v.end());
}
inline double FoldMax(const std::vector<double>& v) {
  return *std::max_element(v.begin(), v.end());
}

inline Array Ids(std::initializer_list<int64_t> ids) {
  return Array::Vector<int64_t>(ids);
}
// n ids 0, 0, ..., 1, 1, ... (or 0, 1, ..., 0, 1, ...) of `segments`.
inline Array ManyIds(int64_t n, int64_t segments, bool sorted) {
  Array ids = Array::Zeros(DType::kI32, Shape({n}));
  for (int64_t i = 0; i < n; ++i) {
    ids.mutable_data<int32_t>()[i] =
        static_cast<int32_t>(sorted ? i * segments / n : i % segments);
  }
  return ids;
}
inline Array Num(int64_t n) { return Array::Scalar<int64_t>(n); }

inline constexpr DTypeSet kLong{DType::kF32, DType::kF64, DType::kF16,
                                DType::kI64};

inline std::vector<Sample> SortedSamples(bool gaps) {
  std::vector<Sample> out{
      {.in = {{4}, Ids({0, 0, 1, 2})}},
      {.in = {{4, 3}, Array::Vector<int32_t>({0, 1, 1, 1})}},
      {.in = {{3, 2, 2}, Ids({0, 0, 0})}},
      {.in = {{0, 2}, Ids({})}},
      {.in = {{3, 0}, Ids({0, 1, 2})}},
      {.in = {{700, 65}, ManyIds(700, 60, true)}, .only = kLong},
      {.in = {{70, 1030}, ManyIds(70, 3, true)}, .only = kLong}};
  if (gaps) out.push_back({.in = {{3, 2}, Ids({1, 1, 4})}});
  return out;
}

inline std::vector<Sample> UnsortedSamples(bool gaps) {
  std::vector<Sample> out{
      {.in = {{5}, Ids({1, 0, 1, 2, 0}), Num(3)}},
      {.in = {{5, 3}, Array::Vector<int32_t>({1, 0, 1, -7, 0}), Num(2)}},
      {.in = {{2, 2, 3}, Array::Of<int64_t>({2, 2}, {1, 0, 0, 1}), Num(2)}},
      {.in = {Shape(), Array::Scalar<int64_t>(0), Num(1)}},
      {.in = {{0, 2}, Ids({}), Num(0)}},
      {.in = {{3, 0}, Ids({0, 1, INT64_MIN}), Num(2)}},
      {.in = {{900, 65}, ManyIds(900, 120, false), Num(120)}, .only = kLong},
      {.in = {{90, 1030}, ManyIds(90, 3, false), Num(3)}, .only = kLong},
      {.in = {{40000}, ManyIds(40000, 7, false), Num(7)}, .only = kLong}};
  if (gaps) {
    out.push_back({.in = {{3, 2}, Ids({5, 1, 5}), Num(7)}});
    out.push_back({.in = {{0, 2}, Ids({}), Num(3)}});
  }
  return out;
}

// And products with one factor of 0, which gradients must not divide by.
inline std::vector<Sample> WithZeros(std::vector<Sample> samples, bool sorted) {
  Sample zeros{
      .in = {Array::Vector<double>({2, 0, 3, 5, 0.5}), Ids({0, 0, 0, 1, 1})}};
  if (!sorted) zeros.in.push_back(Num(2));
  samples.push_back(zeros);
  return samples;
}

inline std::vector<Reject> SortedRejects(std::string_view op) {
  return {
      {.in = {{3}, Ids({0, 2, 1})},
       .message = StrCat("[", op,
                         "] ids[2] is 1 after 2; wanted ids from 0 "
                         "that never fall")},
      {.in = {{2}, Ids({-1, 0})},
       .message = StrCat("[", op, "] ids[0] is -1 after 0; wanted ids")},
      {.in = {{2}, Ids({0, INT64_MIN})},
       .message = StrCat("[", op, "] ids[1] is -9223372036854775808 after 0")},
      {.in = {{2}, Array::Vector<int32_t>({0, INT32_MIN})},
       .message = StrCat("[", op, "] ids[1] is -2147483648 after 0")},
      {.in = {{2}, Ids({0, INT64_MAX})},
       .message = StrCat("[", op, "] shape [281474976710657] has too many")},
      {.in = {{2}, Ids({0, kMaxElements - 1})}, .message = "out of memory"},
      {.in = {{2}, Ids({0})},
       .message = StrCat("[", op,
                         "] data is f32[2], ids is i64[1]; wanted "
                         "data to begin with the sizes of ids")},
      {.in = {{2}, Array::Of<int64_t>({1, 2}, {0, 0})},
       .message = StrCat("[", op, "] ids is i64[1,2]; wanted rank 1")},
      {.in = {{2}, {2}},
       .message = StrCat("[", op, "] ids is f32; wanted one of i32 i64")}};
}

inline std::vector<Reject> UnsortedRejects(std::string_view op) {
  return {
      {.in = {{3}, Ids({0, 2, 1}), Num(2)},
       .message = StrCat("[", op, "] ids[1] is 2; wanted an index below 2")},
      {.in = {{3}, Array::Vector<int32_t>({0, 1, INT32_MAX}), Num(2)},
       .message = StrCat("[", op, "] ids[2] is 2147483647; wanted an index")},
      {.in = {{1}, Ids({0}), Num(-1)},
       .message = StrCat("[", op, "] num_segments is -1; wanted 0 or more")},
      {.in = {{1}, Ids({0}), Num(kMaxElements)}, .message = "out of memory"},
      {.in = {{1}, Ids({0}), Num(INT64_MAX)},
       .message = StrCat("[", op, "] shape [9223372036854775807] has too ")},
      {.in = {{1}, Ids({0}), Ids({1})},
       .message = StrCat("[", op, "] num_segments is i64[1]; wanted rank 0")},
      {.in = {{2, 3}, Ids({0, 1, 2}), Num(3)},
       .message = StrCat("[", op,
                         "] data is f32[2,3], ids is i64[3]; wanted "
                         "data to begin with the sizes of ids")}};
}

}  // namespace sluice::segment
