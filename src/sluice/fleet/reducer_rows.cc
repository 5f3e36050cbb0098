// Reducer: sparse gradients of tables. Every rank first sends its number of
// rows, while backward() continues. At the end all ranks send as many rows as
// the longest has, and every rank gets the rows of all, in the order of ranks.
#include <algorithm>
#include <cstring>

#include "sluice/base/error.h"
#include "sluice/collective/reduce_op.h"
#include "sluice/eager/rows.h"
#include "sluice/fleet/reducer.h"

namespace sluice::fleet {

namespace {

constexpr int64_t kDense = -1;  // a count that means: not sparse here

Result<Array> NewArray(DType dtype, std::span<const int64_t> sizes) {
  SL_ASSIGN_OR_RETURN(Shape shape, Shape::Make(sizes));
  return Array::Make(dtype, shape);
}

// The elements of `x`, if any, padded with zeros.
Result<Array> Longer(const Tensor& x, DType dtype,
                     std::span<const int64_t> sizes) {
  SL_ASSIGN_OR_RETURN(Array made, NewArray(dtype, sizes));
  char* to = static_cast<char*>(made.mutable_raw());
  size_t there = 0;
  if (x.defined()) {
    SL_ASSIGN_OR_RETURN(Array from, x.to("cpu:0").array().AsContiguous());
    there = static_cast<size_t>(from.bytes());
    if (there > 0) std::memcpy(to, from.raw(), there);
  }
  std::memset(to + there, 0, static_cast<size_t>(made.bytes()) - there);
  return made;
}

// Row indices as 64 bits, padded with zeros.
Result<Array> LongerIndices(const Tensor& x, int64_t longest) {
  const int64_t sizes[] = {longest};
  if (!x.defined() || x.dtype() == DType::kI64) {
    return Longer(x, DType::kI64, sizes);
  }
  SL_ASSIGN_OR_RETURN(Array narrow, x.to("cpu:0").array().AsContiguous());
  SL_ASSIGN_OR_RETURN(Array made, Longer({}, DType::kI64, sizes));
  std::copy_n(narrow.data<int32_t>(), narrow.num_elements(),
              made.mutable_data<int64_t>());
  return made;
}

}  // namespace

Status Reducer::PutRows(size_t leaf, const Tensor& gradient) {
  Bucket& b = buckets_[places_[leaf].bucket];
  b.rows = gradient;
  --b.missing;
  return OkStatus();
}

Status Reducer::SendCount(Bucket& b) {
  const int64_t one[] = {1}, ranks[] = {group_->size()};
  SL_ASSIGN_OR_RETURN(Array mine, NewArray(DType::kI64, one));
  SL_ASSIGN_OR_RETURN(b.counts, NewArray(DType::kI64, ranks));
  int64_t count = 0;
  if (b.rows.defined()) {
    count =
        b.rows.is_sparse() ? b.rows.indices().array().num_elements() : kDense;
  }
  mine.mutable_data<int64_t>()[0] = count;
  b.work = group_->AllGather(mine, b.counts, line_);
  b.sent = true;
  return OkStatus();
}

Result<Tensor> Reducer::AverageRows(Bucket& b) {
  SL_RETURN_IF_ERROR(b.work.Wait());
  const Tensor& p = parameters_[b.leaves[0]];
  const Shape whole = p.array().shape();
  const int64_t ranks = group_->size();
  const auto* counts = b.counts.data<int64_t>();
  if (std::count(counts, counts + ranks, kDense) > 0) {
    Tensor mine = b.rows.defined() ? b.rows.to_dense() : Tensor();
    SL_ASSIGN_OR_RETURN(Array all, Longer(mine, b.dtype, whole.dims()));
    SL_RETURN_IF_ERROR(
        group_->AllReduce(all, collective::ReduceOp::kAvg, line_).Wait());
    return Tensor(MakeRef<EagerValue>(std::move(all))).to(p.device());
  }
  const int64_t longest = *std::max_element(counts, counts + ranks);
  int64_t width = 1;
  for (int i = 1; i < whole.rank(); ++i) width *= whole.dim(i);
  const int64_t flat[] = {longest * width}, all_sizes[] = {longest * ranks},
                all_flat[] = {longest * width * ranks};
  const bool any = b.rows.defined();
  SL_ASSIGN_OR_RETURN(
      Array my_at, LongerIndices(any ? b.rows.indices() : Tensor(), longest));
  SL_ASSIGN_OR_RETURN(Array my_values,
                      Longer(any ? b.rows.values() : Tensor(), b.dtype, flat));
  collective::DivideBy(ranks, b.dtype, my_values.mutable_raw(),
                       my_values.num_elements());
  SL_ASSIGN_OR_RETURN(Array all_at, NewArray(DType::kI64, all_sizes));
  SL_ASSIGN_OR_RETURN(Array all_values, NewArray(b.dtype, all_flat));
  collective::Work first = group_->AllGather(my_at, all_at, line_);
  collective::Work second = group_->AllGather(my_values, all_values, line_);
  Status status = first.Wait();
  SL_RETURN_IF_ERROR(second.Wait());
  SL_RETURN_IF_ERROR(status);
  // The padding of shorter ones is dropped.
  int64_t total = 0;
  const int64_t row = width * DTypeSize(b.dtype);
  auto* indices = all_at.mutable_data<int64_t>();
  auto* rows = static_cast<char*>(all_values.mutable_raw());
  for (int64_t r = 0; r < ranks; ++r) {
    std::copy_n(indices + r * longest, counts[r], indices + total);
    std::memmove(rows + total * row, rows + r * longest * row,
                 static_cast<size_t>(counts[r] * row));
    total += counts[r];
  }
  const int64_t found[] = {total};
  std::vector<int64_t> of_rows(whole.dims().begin(), whole.dims().end());
  of_rows[0] = total;
  SL_ASSIGN_OR_RETURN(Shape index_shape, Shape::Make(found));
  SL_ASSIGN_OR_RETURN(Shape row_shape, Shape::Make(of_rows));
  auto part = [&](const Array& x, const Shape& shape) {
    Array view = Array::View(x, 0, shape, ContiguousStrides(shape));
    return Tensor(MakeRef<EagerValue>(std::move(view))).to(p.device());
  };
  return Tensor(MakeRows(part(all_at, index_shape).eager(),
                         part(all_values, row_shape).eager(), b.dtype, whole));
}

}  // namespace sluice::fleet
