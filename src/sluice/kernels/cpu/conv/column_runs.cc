#include "sluice/kernels/cpu/conv/column_runs.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "sluice/kernels/cpu/conv/lanes.h"
#include "sluice/tensor/half.h"

namespace sluice {

namespace {

template <class C, int N>
void CopyRun(const C* from, const int64_t* offsets, int64_t k, C* to,
             int64_t stride) {
  for (int64_t p = 0; p < k; ++p, to += stride) {
    std::memcpy(to, from + offsets[p], N * sizeof(C));
  }
}

// y[0..N) += x[0..N). A rest is part of one more vector that overlaps the one
// before it: all are computed before any is stored.
template <class C, int N>
SL_INLINE void AddTo(const C* x, C* y) {
  using Lanes = conv::Lanes<C>;
  constexpr int L = Lanes::kCount, V = (N + L - 1) / L;
  if constexpr (N < L) {
    for (int i = 0; i < N; ++i) y[i] += x[i];
  } else {
    Lanes sum[V];
    auto at = [](int i) { return i + 1 < V ? i * L : N - L; };
#pragma GCC unroll 8
    for (int i = 0; i < V; ++i) {
      Lanes more;
      sum[i].Load(y + at(i));
      more.Load(x + at(i));
      sum[i].v += more.v;
    }
#pragma GCC unroll 8
    for (int i = 0; i < V; ++i) sum[i].Store(y + at(i));
  }
}

template <class C, int N>
void AddRun(const C* from, const int64_t* offsets, int64_t rows, C* to,
            int64_t stride) {
  for (int64_t r = 0; r < rows; ++r, from += stride) {
    AddTo<C, N>(from, to + offsets[r]);
  }
}

// Functions for 1 to kMaxRun elements, at index n - 1.
template <class C>
using RunFn = void (*)(const C*, const int64_t*, int64_t, C*, int64_t);
template <class C, size_t... N>
constexpr std::array<RunFn<C>, kMaxRun> Copies(std::index_sequence<N...>) {
  return {CopyRun<C, static_cast<int>(N) + 1>...};
}
template <class C, size_t... N>
constexpr std::array<RunFn<C>, kMaxRun> Adds(std::index_sequence<N...>) {
  return {AddRun<C, static_cast<int>(N) + 1>...};
}
template <class C>
constexpr auto kCopies = Copies<C>(std::make_index_sequence<kMaxRun>());
template <class C>
constexpr auto kAdds = Adds<C>(std::make_index_sequence<kMaxRun>());

}  // namespace

void ColumnRuns::Add(int64_t from, int64_t n) {
  while (n > 0) {
    if (at_ == nr_) {
      // first_[panels_] is where the runs of the panel before end.
      first_[panels_ + 1] = first_[panels_];
      ++panels_;
      at_ = 0;
    }
    int32_t& runs = first_[panels_];
    ColumnRun* last = at_ > 0 ? &runs_[runs - 1] : nullptr;
    int32_t take = static_cast<int32_t>(std::min<int64_t>(n, nr_ - at_));
    if (last && last->from + last->n == from && last->n < kMaxRun) {
      take = std::min(take, kMaxRun - last->n);
      last->n += take;
    } else {
      take = std::min(take, kMaxRun);
      runs_[runs++] = {from, at_, take};
    }
    at_ += take;
    from += take;
    n -= take;
  }
}

void ColumnRuns::AddPositions(int64_t begin, int64_t end, const ConvAxes& out,
                              const ConvAxes& step, int64_t image) {
  int64_t q2 = begin % out[2], rest = begin / out[2];
  int64_t q1 = rest % out[1];
  rest /= out[1];
  int64_t q0 = rest % out[0], n = rest / out[0];
  while (begin < end) {
    int64_t row = std::min(out[2] - q2, end - begin);
    Add(n * image + q0 * step[0] + q1 * step[1] + q2, row);
    begin += row;
    q2 = 0;
    if (++q1 == out[1]) {
      q1 = 0;
      if (++q0 == out[0]) q0 = 0, ++n;
    }
  }
}

template <class C>
void ColumnRuns::GatherPart(int panel, const C* source, const int64_t* offsets,
                            int64_t first, int64_t last, C* to) const {
  for (const ColumnRun* run = begin(panel); run != end(panel); ++run) {
    kCopies<C>[static_cast<size_t>(run->n - 1)](
        source + run->from, offsets + first, last - first,
        to + first * nr_ + run->at, nr_);
  }
  if (panel + 1 < panels_ || at_ == nr_) return;
  for (int64_t p = first; p < last; ++p) {
    std::fill(to + p * nr_ + at_, to + (p + 1) * nr_, C(0));
  }
}

template <class C>
void ColumnRuns::Gather(int panel, const C* source, const int64_t* offsets,
                        int64_t k, C* to) const {
  GatherPart(panel, source, offsets, 0, k, to);
}

template <class C>
void ColumnRuns::GatherAll(const C* source, const int64_t* offsets, int64_t k,
                           C* to) const {
  // Each k may be on a different page, and a panel uses only part of a cache
  // line: few enough at a time that lines and pages are still cached for the
  // next panel.
  constexpr int64_t kTogether = 32;
  for (int64_t first = 0; first < k; first += kTogether) {
    int64_t last = std::min(first + kTogether, k);
    for (int j = 0; j < panels_; ++j) {
      GatherPart(j, source, offsets, first, last, to + j * k * nr_);
    }
  }
}

template <class C>
void ColumnRuns::ScatterAdd(int panel, const C* tile, const int64_t* offsets,
                            int64_t rows, C* target) const {
  for (const ColumnRun* run = begin(panel); run != end(panel); ++run) {
    kAdds<C>[static_cast<size_t>(run->n - 1)](tile + run->at, offsets, rows,
                                              target + run->from, nr_);
  }
}

template void ColumnRuns::GatherAll<bf16>(const bf16*, const int64_t*, int64_t,
                                          bf16*) const;
#define SL_INSTANTIATE(C)                                                     \
  template void ColumnRuns::Gather<C>(int, const C*, const int64_t*, int64_t, \
                                      C*) const;                              \
  template void ColumnRuns::GatherAll<C>(const C*, const int64_t*, int64_t,   \
                                         C*) const;                           \
  template void ColumnRuns::ScatterAdd<C>(int, const C*, const int64_t*,      \
                                          int64_t, C*) const;
SL_INSTANTIATE(float)
SL_INSTANTIATE(double)
#undef SL_INSTANTIATE

}  // namespace sluice
