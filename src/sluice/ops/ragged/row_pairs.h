// Products between two ragged arrays, row by row: every vector of a row of one
// (a query) with every vector of the same row of the other (a key). Numbers for
// pairs are stored row by row, in each row query by query: row r is a matrix of
// its queries x its keys, and no pair crosses rows.
#pragma once

#include "sluice/kernels/cpu/gemm/launch.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/ragged/splits.h"

namespace sluice::ragged {

// Row r of both: m queries from q, n keys from k, pairs from p on.
struct RowPair {
  int64_t q, m, k, n, p;
};

// The number of pairs; INT64_MAX if there are too many to count. Splits are
// checked and equal in number.
inline int64_t CountPairs(std::span<const int64_t> queries,
                          std::span<const int64_t> keys) {
  int64_t total = 0;
  for (size_t r = 0; r + 1 < queries.size(); ++r) {
    int64_t pairs;
    if (!CheckedMul(queries[r + 1] - queries[r], keys[r + 1] - keys[r],
                    &pairs) ||
        !CheckedAdd(total, pairs, &total)) {
      return INT64_MAX;
    }
  }
  return total;
}

// The known sizes according to the splits at inputs 2 and 3.
struct PairSizes {
  int64_t queries = kUnknownDim, keys = kUnknownDim, pairs = kUnknownDim;
};

inline Result<PairSizes> PairSizesOf(const ShapeContext& c, int64_t queries,
                                     int64_t keys) {
  PairSizes out;
  SL_ASSIGN_OR_RETURN(out.queries, EndOfRows(c, 2, queries));
  SL_ASSIGN_OR_RETURN(out.keys, EndOfRows(c, 3, keys));
  int64_t a = RowsOf(c.in(2)), b = RowsOf(c.in(3));
  if (a >= 0 && b >= 0 && a != b) {
    return c.Error(StrCat(c.Describe(2), ", ", c.Describe(3),
                          "; wanted equal numbers of rows"));
  }
  if (c.value(2) && c.value(3)) {
    PoolVector<int64_t> q = IntValues(*c.value(2)), k = IntValues(*c.value(3));
    out.pairs = CountPairs({q.data(), q.size()}, {k.data(), k.size()});
  }
  return out;
}

// body(pair) for every row; rows run in parallel. `width` is the length of a
// vector. `first` is scratch for one number per row.
template <class F>
void ForRowPairs(KernelContext& ctx, int64_t width, F&& body) {
  const int64_t* q = ctx.in(2).data<int64_t>();
  const int64_t* k = ctx.in(3).data<int64_t>();
  auto* first = static_cast<int64_t*>(ctx.workspace());
  int64_t rows = ctx.in(2).dim(0) - 1, pairs = 0;
  for (int64_t r = 0; r < rows; ++r) {
    first[r] = pairs;
    pairs += (q[r + 1] - q[r]) * (k[r + 1] - k[r]);
  }
  double work = static_cast<double>(pairs) * static_cast<double>(width + 1);
  ForRows(
      ctx.step().pool, rows, static_cast<int64_t>(std::min(work, 1e15)),
      [&](int64_t r) {
        body(RowPair{q[r], q[r + 1] - q[r], k[r], k[r + 1] - k[r], first[r]});
      });
}
inline int64_t PairWorkspace(const ShapeContext& c) {
  return std::max<int64_t>(RowsOf(c.in(2)), 0) * 8;
}

// Element `offset` of an array of any plain type.
inline char* ElementAt(const Array& a, int64_t offset) {
  return static_cast<char*>(a.mutable_raw()) + offset * DTypeSize(a.dtype());
}

// f(query, key, pair) for every pair in order.
template <class F>
void ForEachPair(const RefArray& q, const RefArray& k, F&& f) {
  size_t pair = 0;
  for (size_t r = 0; r + 1 < q.v.size(); ++r) {
    for (int64_t i = At(q, r); i < At(q, r + 1); ++i) {
      for (int64_t j = At(k, r); j < At(k, r + 1); ++j) f(i, j, pair++);
    }
  }
}

}  // namespace sluice::ragged
