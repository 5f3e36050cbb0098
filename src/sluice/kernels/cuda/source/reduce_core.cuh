// Reductions of any source: plain arrays, formulas of several arrays,
// normalized values. A file that reduces defines
//   struct Args { ReduceShape s; ... };   what its kernels take
//   struct R {
//     using Acc = ...;
//     static Acc Start();
//     // One more element: its place in memory, which of an output's it is, and
//     // of which output.
//     static Acc Step(const Args&, Acc, int64_t at, int64_t nth, int64_t
//     output); static Acc Join(Acc, Acc); static void Finish(const Args&, Acc,
//     int64_t output);
//     // Optional: kPack elements in a row, at a place aligned to all of them.
//     static Acc StepPack(const Args&, Acc, int64_t at, int64_t nth,
//     int64_t output);
//     // With it: the same of kPack outputs side by side. `columns` is what
//     // LoadColumns(const Args&, int64_t output) gave before, or NoColumns.
//     static void StepColumns(const Args&, columns, Acc*, int64_t at,
//     int64_t nth);
//   };
//   SL_REDUCE_KERNEL(R, Args)
//
// SL_WAY: the variant of the kernel, chosen by kernels/cuda/reduce_plan.h; each
// is compiled on first use. Partial results are combined in an order that
// depends only on the shape.
#pragma once

#include "sluice/cuda/affine.cuh"
#include "sluice/cuda/team.cuh"

namespace sluice {

constexpr int kMaxNest = 5;

// As in kernels/cuda/reduce_plan.h.
struct ReduceNest {
  int64_t rank;
  int64_t dims[kMaxNest], steps[kMaxNest];
  int64_t Offset(int64_t flat) const {
    if (rank == 0) return 0;
    int64_t offset = 0;
#pragma unroll 1
    for (int i = 0; i + 1 < rank; ++i) {
      int64_t rest = Quotient(flat, dims[i]);
      offset += (flat - rest * dims[i]) * steps[i];
      flat = rest;
    }
    return offset + flat * steps[rank - 1];
  }
};
struct ReduceShape {
  int64_t outputs;
  int64_t inner;  // the innermost run, reduced or kept
  int64_t count;  // steps of one output: elements; of columns the same
  int64_t parts, per_part;
  int64_t lanes;   // threads per output; for columns: adjacent columns
  int64_t packed;  // StepPack may be used
  ReduceNest kept, reduced;
  void* partial;  // parts x outputs
};

template <class R>
struct JoinOf {
  using Acc = typename R::Acc;
  Acc operator()(Acc a, Acc b) const { return R::Join(a, b); }
};

// The offset of element `nth` of an output from its start.
inline int64_t ReducedAt(const ReduceShape& s, int64_t nth) {
  if (s.reduced.rank == 0) return nth;
  int64_t row = Quotient(nth, s.inner);
  return s.reduced.Offset(row) + (nth - row * s.inner);
}

template <class R, class Args>
inline void ReduceLanes(const Args& a) {
  const ReduceShape& s = a.s;
  Slices all{s.outputs, s.count, 1, s.lanes};
  LaneTeam team(all);
  Slice slice;
  while (team.Next(all, &slice)) {
    auto acc = R::Start();
    int64_t base = slice.live ? s.kept.Offset(slice.number) : 0;
    for (int64_t i = team.lane; i < slice.n; i += team.lanes) {
      acc = R::Step(a, acc, base + ReducedAt(s, i), i, slice.number);
    }
    acc = team.All(acc, JoinOf<R>());
    if (slice.live && team.lane == 0) R::Finish(a, acc, slice.number);
  }
}

template <class R, class Args>
inline void ReduceKeep(const Args& a, typename R::Acc acc, int64_t output,
                       int64_t part) {
  if (a.s.parts == 1) {
    R::Finish(a, acc, output);
  } else {
    auto* partial = static_cast<typename R::Acc*>(a.s.partial);
    partial[part * a.s.outputs + output] = acc;
  }
}

template <class R, class Args>
inline void ReduceBlocks(const Args& a) {
  const ReduceShape& s = a.s;
  Slices all{s.outputs * s.parts, s.per_part, 1, s.lanes};
  BlockTeam team(all);
  Slice slice;
  while (team.Next(all, &slice)) {
    int64_t output = slice.number / s.parts;
    int64_t part = slice.number - output * s.parts;
    int64_t begin = part * s.per_part;
    int64_t end = std::min(begin + s.per_part, s.count);
    int64_t base = s.kept.Offset(output);
    auto acc = R::Start();
    if constexpr (requires { R::kPack; }) {
      if (s.packed) {
        constexpr int64_t kPack = R::kPack;
        int64_t i = begin + team.lane * kPack;
#pragma unroll 2
        for (; i + kPack <= end; i += team.lanes * kPack) {
          acc = R::StepPack(a, acc, base + ReducedAt(s, i), i, output);
        }
        begin = end - (end - begin) % kPack;
      }
    }
#pragma unroll 4
    for (int64_t i = begin + team.lane; i < end; i += team.lanes) {
      acc = R::Step(a, acc, base + ReducedAt(s, i), i, output);
    }
    acc = team.All(acc, JoinOf<R>());
    if (team.lane == 0) ReduceKeep<R>(a, acc, output, part);
  }
}

struct NoColumns {};
template <class R, class Args>
inline auto ColumnsOf(const Args& a, int64_t output) {
  if constexpr (requires { R::LoadColumns(a, output); }) {
    return R::LoadColumns(a, output);
  } else {
    return NoColumns{};
  }
}

// The accumulators of kPack adjacent outputs of a thread.
template <class R>
struct ColumnAccs {
  typename R::Acc v[R::kPack];
};
template <class R>
struct JoinColumns {
  ColumnAccs<R> operator()(ColumnAccs<R> a, ColumnAccs<R> b) const {
    for (int k = 0; k < R::kPack; ++k) a.v[k] = R::Join(a.v[k], b.v[k]);
    return a;
  }
};

template <class R, class Args>
inline void ReduceColumnPacks(const Args& a) {
  constexpr int64_t kPack = R::kPack;
  const ReduceShape& s = a.s;
  int64_t inner = s.inner / kPack;
  Slices all{s.outputs / s.inner * s.parts, s.per_part, inner, s.lanes};
  ColumnTeam team(all);
  Slice slice;
  while (team.Next(all, &slice)) {
    ColumnAccs<R> acc;
    for (int k = 0; k < kPack; ++k) acc.v[k] = R::Start();
    int64_t number = slice.live ? slice.number / inner : 0;
    int64_t column = slice.live ? (slice.number - number * inner) * kPack : 0;
    int64_t from = number / s.parts, part = number - from * s.parts;
    int64_t output = from * s.inner + column;
    if (slice.live) {
      int64_t base = s.kept.Offset(from) + column;
      int64_t end = std::min((part + 1) * s.per_part, s.count);
      int64_t r = part * s.per_part + team.lane;
      auto columns = ColumnsOf<R>(a, output);
      if (s.reduced.rank == 1) {
        int64_t step = s.reduced.steps[0];
#pragma unroll 4
        for (; r < end; r += team.lanes) {
          R::StepColumns(a, columns, acc.v, base + r * step, r);
        }
      }
      for (; r < end; r += team.lanes) {
        R::StepColumns(a, columns, acc.v, base + s.reduced.Offset(r), r);
      }
    }
    acc = team.All(acc, JoinColumns<R>());
    if (!slice.live || team.lane != 0) continue;
    for (int k = 0; k < kPack; ++k) {
      ReduceKeep<R>(a, acc.v[k], output + k, part);
    }
  }
}

// Adjacent outputs: the innermost run is kept. A part is a range of rows.
template <class R, class Args>
inline void ReduceColumns(const Args& a) {
  const ReduceShape& s = a.s;
  if constexpr (requires(typename R::Acc* acc) {
                  R::StepColumns(a, ColumnsOf<R>(a, 0), acc, 0, 0);
                }) {
    if (s.packed) return ReduceColumnPacks<R>(a);
  }
  Slices all{s.outputs / s.inner * s.parts, s.per_part, s.inner, s.lanes};
  ColumnTeam team(all);
  Slice slice;
  while (team.Next(all, &slice)) {
    auto acc = R::Start();
    // For an idle thread any position will do, since nothing is read there.
    int64_t number = slice.live ? slice.number / s.inner : 0;
    int64_t column = slice.live ? slice.number - number * s.inner : 0;
    int64_t from = number / s.parts, part = number - from * s.parts;
    if (slice.live) {
      int64_t base = s.kept.Offset(from) + column;
      int64_t end = std::min((part + 1) * s.per_part, s.count);
      int64_t output = from * s.inner + column;
      int64_t r = part * s.per_part + team.lane;
      if (s.reduced.rank == 1) {
        int64_t step = s.reduced.steps[0];
#pragma unroll 4
        for (; r < end; r += team.lanes) {
          acc = R::Step(a, acc, base + r * step, r, output);
        }
      }
      for (; r < end; r += team.lanes) {
        acc = R::Step(a, acc, base + s.reduced.Offset(r), r, output);
      }
    }
    acc = team.All(acc, JoinOf<R>());
    if (slice.live && team.lane == 0) {
      ReduceKeep<R>(a, acc, from * s.inner + column, part);
    }
  }
}

// Combines the parts of every output, by teams of lanes or of whole blocks.
template <class Team, class R, class Args>
inline void ReduceFoldBy(const Args& a) {
  const ReduceShape& s = a.s;
  const auto* partial = static_cast<const typename R::Acc*>(s.partial);
  Slices all{s.outputs, s.parts, 1, s.lanes};
  Team team(all);
  Slice slice;
  while (team.Next(all, &slice)) {
    auto acc = R::Start();
    for (int64_t i = team.lane; i < slice.n; i += team.lanes) {
      acc = R::Join(acc, partial[i * s.outputs + slice.number]);
    }
    acc = team.All(acc, JoinOf<R>());
    if (slice.live && team.lane == 0) R::Finish(a, acc, slice.number);
  }
}
template <class R, class Args>
inline void ReduceFold(const Args& a) {
  ReduceFoldBy<LaneTeam, R>(a);
}
template <class R, class Args>
inline void ReduceFoldBlocks(const Args& a) {
  ReduceFoldBy<BlockTeam, R>(a);
}

}  // namespace sluice

#define SL_REDUCE_KERNEL(R, Args) \
  SL_GLOBAL(reduce, Args, a) { SL_WAY<R>(a); }
