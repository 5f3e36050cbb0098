// Gathers elements by indices that come as data: rows, tuples, one index per
// element. Wrong indices are reported (checks.cuh) and yield 0.
//
// T: a type of the width of each move; I: the type of indices; Index: int32_t
// if all offsets fit.
#pragma once

#include "sluice/cuda/checks.cuh"
#include "sluice/cuda/elementwise.cuh"

namespace sluice {

// An array of outer x size rows of `row` elements each; `count` rows of every
// outer slice are gathered.
struct GatherArgs {
  const void* from;
  const void* index;
  void* to;
  Check* check;  // null: wrong indices are reported elsewhere
  int64_t n;     // gathered elements in all
  int64_t size, row, count;
};

SL_GLOBAL(gather, GatherArgs, a) {
  const T* from = static_cast<const T*>(a.from);
  const I* index = static_cast<const I*>(a.index);
  T* to = static_cast<T*>(a.to);
  for (int64_t i = FirstThread(); i < a.n; i += AllThreads()) {
    Index r = Index(i) / Index(a.row), k = Index(i) - r * Index(a.row);
    Index o = r / Index(a.count), j = r - o * Index(a.count);
    int64_t at = index[j];
    bool inside = at >= 0 && at < a.size;
    if (!inside && k == 0 && o == 0 && a.check) Report(a.check, j, at);
    to[i] = inside ? from[(o * Index(a.size) + Index(at)) * Index(a.row) + k]
                   : Border(0);
  }
}

struct CheckArgs {
  const void* index;
  Check* check;
  int64_t n, low, bound;
};

SL_GLOBAL(check_indices, CheckArgs, a) {
  const I* index = static_cast<const I*>(a.index);
  for (int64_t i = FirstThread(); i < a.n; i += AllThreads()) {
    int64_t at = index[i];
    if (at < a.low || at >= a.bound) Report(a.check, i, at);
  }
}

// Tuples of `depth` indices as positions in an array of these sizes; -1 for
// wrong ones.
struct TupleArgs {
  const void* index;
  int64_t* rows;
  int64_t n;
  int32_t depth;
  int64_t size[kMaxWalkRank];
  Check* check[kMaxWalkRank];  // one for each index of a tuple
};

SL_GLOBAL(flatten_tuples, TupleArgs, a) {
  const I* index = static_cast<const I*>(a.index);
  for (int64_t i = FirstThread(); i < a.n; i += AllThreads()) {
    int64_t row = 0;
    bool inside = true;
    for (int k = 0; k < a.depth; ++k) {
      int64_t at = index[i * a.depth + k];
      inside = inside && at >= 0 && at < a.size[k];
      row = row * a.size[k] + at;
    }
    a.rows[i] = inside ? row : -1;
    if (inside || !BeginReport(a.check[0], i)) continue;
    for (int k = 0; k < a.depth; ++k) {
      volatile Check* check = a.check[k];
      check->b = index[i * a.depth + k];
      if (k > 0) check->found = 1;
    }
    EndReport(a.check[0]);
  }
}

// An array of outer x size x inner and indices outer x count x inner, which
// select along the middle axis.
struct AlongArgs {
  const void* from;
  const void* index;
  void* to;  // the elements; or (places_along) int64_t positions
  int64_t n, size, count, inner;
};

SL_GLOBAL(take_along, AlongArgs, a) {
  const T* from = static_cast<const T*>(a.from);
  const I* index = static_cast<const I*>(a.index);
  T* to = static_cast<T*>(a.to);
  for (int64_t i = FirstThread(); i < a.n; i += AllThreads()) {
    Index r = Index(i) / Index(a.inner), k = Index(i) - r * Index(a.inner);
    Index o = r / Index(a.count);
    int64_t at = index[i];
    bool inside = at >= 0 && at < a.size;
    Index row = o * Index(a.size) + Index(inside ? at : 0);
    to[i] = inside ? from[row * Index(a.inner) + k] : Border(0);
  }
}

SL_GLOBAL(places_along, AlongArgs, a) {
  const I* index = static_cast<const I*>(a.index);
  int64_t* to = static_cast<int64_t*>(a.to);
  for (int64_t i = FirstThread(); i < a.n; i += AllThreads()) {
    int64_t r = i / a.inner, k = i - r * a.inner, o = r / a.count;
    int64_t at = index[i];
    bool inside = at >= 0 && at < a.size;
    to[i] = inside ? (o * a.size + at) * a.inner + k : -1;
  }
}

// Rows of sequences whose starts are reversed: consecutive rows of a sequence
// are `step` rows apart.
struct ReverseArgs {
  const void* from;
  const void* lengths;
  void* to;
  int64_t n, row;            // elements in all, and of a row
  int64_t first, second, b;  // rows are .. x first x b x second
  int64_t step;
  int32_t seq_first;
};

SL_GLOBAL(reverse_sequence, ReverseArgs, a) {
  const T* from = static_cast<const T*>(a.from);
  const I* lengths = static_cast<const I*>(a.lengths);
  T* to = static_cast<T*>(a.to);
  int64_t sequence = a.seq_first ? a.first : a.second;
  for (int64_t i = FirstThread(); i < a.n; i += AllThreads()) {
    int64_t r = i / a.row, k = i - r * a.row;
    int64_t low = r / (a.b * a.second) % a.first, high = r % a.second;
    int64_t s = a.seq_first ? low : high;
    int64_t length = lengths[a.seq_first ? high : low];
    // A separate check reports a wrong length.
    bool turn = s < length && length <= sequence;
    to[i] = from[(turn ? r + (length - 1 - 2 * s) * a.step : r) * a.row + k];
  }
}

}  // namespace sluice
