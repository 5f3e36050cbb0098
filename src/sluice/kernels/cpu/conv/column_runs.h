// ColumnRuns: a block of columns of an implicit matrix product, divided into
// panels of nr for the register tile. Columns of a panel whose elements are
// contiguous in memory form a run, which is copied for one k after another with
// moves of a compile-time size. Lives on the stack of one task.
#pragma once

#include <cstdint>

#include "sluice/kernels/cpu/conv/geometry.h"

namespace sluice {

// Columns [at, at + n) of a panel, whose elements start at `from`.
struct ColumnRun {
  int64_t from;
  int32_t at, n;
};
inline constexpr int kMaxRun = 16;

class ColumnRuns {
 public:
  static constexpr int64_t kMaxColumns = 512;

  explicit ColumnRuns(int nr) : nr_(nr), at_(nr) { first_[0] = 0; }

  // Adds the next n columns. REQUIRES: at most kMaxColumns in all.
  void Add(int64_t from, int64_t n);
  // Adds output positions [begin, end), counted through images row by row;
  // position q of an image is at q[0] * step[0] + q[1] * step[1] + q[2].
  void AddPositions(int64_t begin, int64_t end, const ConvAxes& out,
                    const ConvAxes& step, int64_t image);

  int panels() const { return panels_; }
  const ColumnRun* begin(int panel) const { return runs_ + first_[panel]; }
  const ColumnRun* end(int panel) const { return runs_ + first_[panel + 1]; }

  // panel[p][column] = source[run.from + offsets[p] + ...] for p in [0, k);
  // zero for missing columns.
  template <class C>
  void Gather(int panel, const C* source, const int64_t* offsets, int64_t k,
              C* to) const;
  // The same for all panels, one after another.
  template <class C>
  void GatherAll(const C* source, const int64_t* offsets, int64_t k,
                 C* to) const;
  // The reverse: target[run.from + offsets[r] + ...] += tile[r][column] for
  // rows r in [0, rows).
  template <class C>
  void ScatterAdd(int panel, const C* tile, const int64_t* offsets,
                  int64_t rows, C* target) const;

 private:
  // For k in [first, last) of the `k` of a panel.
  template <class C>
  void GatherPart(int panel, const C* source, const int64_t* offsets,
                  int64_t first, int64_t last, C* to) const;

  int nr_, at_;  // at_: columns in the last panel
  int panels_ = 0;
  int32_t first_[kMaxColumns + 1];
  ColumnRun runs_[kMaxColumns];
};

}  // namespace sluice
