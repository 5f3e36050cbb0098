#include "sluice/kernels/cpu/matrix_batch.h"

#include <algorithm>

#include "sluice/base/strings.h"
#include "sluice/op/record.h"

namespace sluice {

namespace {

// LAPACK's sizes are 32-bit, also those of work space, which for some routines
// is four times the square of the smaller side.
constexpr int64_t kMaxSmallSide = 16384, kMaxLargeSide = int64_t{1} << 24;

}  // namespace

MatrixBatch::MatrixBatch(int64_t count, double flops, int64_t scratch)
    : count_(count), scratch_(scratch) {
  // As many chunks as a quarter of a gigabyte allows, but not so many that
  // handing one out costs more than its work.
  constexpr int64_t kMemory = int64_t{1} << 28;
  constexpr double kChunkFlops = 40000, kCallFlops = 600;
  int64_t most = std::clamp<int64_t>(kMemory / std::max<int64_t>(scratch, 1), 4,
                                     kMaxChunks);
  auto small = static_cast<int64_t>(kChunkFlops / (flops + kCallFlops)) + 1;
  grain_ = std::max<int64_t>({(count + most - 1) / most, small, 1});
  chunks_ = (count + grain_ - 1) / grain_;
}

int64_t MatrixCount(const Shape& shape) {
  int64_t count = 1;
  for (int i = 0; i < shape.rank() - 2; ++i) count *= shape.dim(i);
  return count;
}

std::string EntryText(const Shape& shape, int64_t entry) {
  if (shape.rank() <= 2) return "";
  std::vector<int64_t> index(static_cast<size_t>(shape.rank() - 2));
  for (int i = shape.rank() - 3; i >= 0; --i) {
    index[static_cast<size_t>(i)] = entry % shape.dim(i);
    entry /= shape.dim(i);
  }
  return StrCat("[", Join(index, ","), "]");
}

Result<const Lapack*> NeedLapack(const KernelContext& ctx) {
  if (const Lapack* lapack = FindLapack()) return lapack;
  return ctx.Error(Code::kUnimplemented,
                   "found no LAPACK on this machine; wanted OpenBLAS (Debian: "
                   "libopenblas0-pthread)");
}

Status WantMatrix(const ShapeContext& c, int i) {
  SL_RETURN_IF_ERROR(c.WantRankAtLeast(i, 2));
  int64_t rows = DimFromEnd(c.in(i), 1), columns = DimFromEnd(c.in(i), 0);
  bool fits =
      rows <= kMaxLargeSide && columns <= kMaxLargeSide &&
      (rows < 0 || columns < 0 || std::min(rows, columns) <= kMaxSmallSide);
  if (fits) return OkStatus();
  return c.Error(StrCat(c.Describe(i), "; wanted matrices of at most ",
                        kMaxLargeSide, " x ", kMaxSmallSide));
}

Status WantSquare(const ShapeContext& c, int i) {
  SL_RETURN_IF_ERROR(WantMatrix(c, i));
  int64_t rows = DimFromEnd(c.in(i), 1), columns = DimFromEnd(c.in(i), 0);
  if (rows < 0 || columns < 0 || rows == columns) return OkStatus();
  return c.Error(StrCat(c.Describe(i), "; wanted square matrices"));
}

int64_t DimFromEnd(const PartialShape& shape, int from_end) {
  if (!shape.rank_known() || shape.rank() <= from_end) return kUnknownDim;
  return shape[shape.rank() - 1 - from_end];
}

Result<PartialShape> WithTail(const ShapeContext& c, int i, Dims tail) {
  const PartialShape& shape = c.in(i);
  if (!shape.rank_known()) return PartialShape::Unknown();
  std::vector<int64_t> dims(shape.dims().begin(), shape.dims().end() - 2);
  dims.insert(dims.end(), tail.begin(), tail.end());
  Result<PartialShape> out = PartialShape::Make(dims);
  if (!out.ok()) return c.Error(out.status().message());
  return out;
}

Result<PartialShape> SameLeading(const ShapeContext& c) {
  const PartialShape &a = c.in(0), &b = c.in(1);
  if (!a.rank_known() || !b.rank_known()) return b;
  PartialShape out = b;
  bool same = a.rank() == b.rank();
  for (int i = 0; same && i < a.rank() - 2; ++i) {
    same = a[i] < 0 || b[i] < 0 || a[i] == b[i];
    if (b[i] < 0 && a[i] >= 0) out.set_dim(i, a[i]);
  }
  if (same) {
    Result<PartialShape> made = PartialShape::Make(out.dims());
    if (!made.ok()) return c.Error(made.status().message());
    return made;
  }
  return c.Error(StrCat("leading sizes differ: ", c.Describe(0), ", ",
                        c.Describe(1), "; wanted as many matrices of each"));
}

}  // namespace sluice
