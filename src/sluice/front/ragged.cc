#include "sluice/front/ragged.h"

#include <algorithm>

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/eager/call_device.h"
#include "sluice/eager/constants.h"
#include "sluice/eager/index.h"
#include "sluice/eager/operators.h"
#include "sluice/front/ragged_call.h"

namespace sluice {

using front_internal::RaggedCall;

namespace {

Tensor CheckedSplits(const RaggedCall& call, const Operand& splits,
                     const Tensor& values) {
  return call("RaggedSplits", {splits, values});
}

Ragged Checked(const RaggedCall& call, const Tensor& values,
               const Operand& splits) {
  Tensor checked = CheckedSplits(call, splits, values);
  return Ragged::Assemble(call.After(values, {checked}), {checked});
}

}  // namespace

Ragged Ragged::Assemble(Tensor values, std::vector<Tensor> splits) {
  Ragged made;
  made.values_ = std::move(values);
  made.splits_ = std::move(splits);
  return made;
}

Ragged Ragged::from_splits(const Tensor& values, const Operand& splits,
                           Where where) {
  return Checked({where}, values, splits);
}

Ragged Ragged::from_lengths(const Tensor& values, const Operand& lengths,
                            Where where) {
  RaggedCall call{where};
  Tensor splits = call("RaggedLengthsToSplits", {lengths});
  return Checked(call, values, splits);
}

Ragged Ragged::from_row_ids(const Tensor& values, const Operand& ids,
                            int64_t num_rows, Where where) {
  RaggedCall call{where};
  Tensor splits = call("RaggedIdsToSplits", {ids, num_rows});
  return Checked(call, values, splits);
}

Ragged Ragged::from_padded(const Tensor& padded, const Operand& lengths,
                           Where where) {
  RaggedCall call{where};
  Tensor splits = call("RaggedLengthsToSplits", {lengths});
  return Assemble(call("PaddedToRagged", {padded, splits}), {splits});
}

Ragged Ragged::from_rows(const Ragged& rows, const Operand& splits,
                         Where where) {
  RaggedCall call{where};
  if (!rows.defined()) call.Throw("from_rows: the Ragged holds nothing");
  // The rows are grouped, so as many as there are lengths of them.
  std::vector<Tensor> all = rows.splits_;
  Tensor one_for_each =
      Assemble(rows.values_, {rows.splits_[0]}).row_lengths(where);
  Tensor groups = CheckedSplits(call, splits, one_for_each);
  all.insert(all.begin(), groups);
  return Assemble(call.After(rows.values_, {groups}), std::move(all));
}

const Tensor& Ragged::splits(int level) const {
  if (level < 0 || level >= depth()) {
    throw Error(InvalidArgument(StrCat(
        "splits: level ", level, " of a Ragged of ", depth(), " levels")));
  }
  return splits_[static_cast<size_t>(level)];
}

int64_t Ragged::num_rows() const {
  const Tensor& splits = row_splits();
  return splits.rank() == 1 && splits.dim(0) > 0 ? splits.dim(0) - 1 : -1;
}

int64_t Ragged::num_values() const {
  return values_.rank() > 0 ? std::max<int64_t>(values_.dim(0), -1) : -1;
}

int64_t Ragged::padded_elements(Where where) const {
  RaggedCall call{where};
  if (!defined() || symbolic()) {
    call.Throw(
        "padded_elements: the rows are part of a graph; wanted imperative "
        "ones");
  }
  int64_t longest = 0;
  const Array ends = ValueOrThrow(OnHost(row_splits().array()));
  std::span<const int64_t> splits = ends.i64s();
  for (size_t r = 0; r + 1 < splits.size(); ++r) {
    longest = std::max(longest, splits[r + 1] - splits[r]);
  }
  return num_rows() * longest;
}

Tensor Ragged::row_lengths(Where where) const {
  const Tensor& splits = row_splits();
  return RaggedCall{where}("Sub", {splits.at({slice_from(1)}, where),
                                   splits.at({slice_to(-1)}, where)});
}

Tensor Ragged::row_ids(Where where) const {
  return RaggedCall{where}("RaggedRowIds", {row_splits()});
}

Tensor Ragged::row_count(Where where) const {
  if (num_rows() >= 0) return constant(num_rows(), {}, where);
  RaggedCall call{where};
  return call("Sub", {call("Size", {row_splits()}), 1});
}

Ragged Ragged::inner() const { return Assemble(values_, {row_splits()}); }

Ragged Ragged::outer(const Tensor& per_row, Where where) const {
  RaggedCall call{where};
  if (depth() < 2) {
    call.Throw("outer: the rows are not grouped; wanted rows of rows");
  }
  std::vector<Tensor> splits(splits_.begin(), splits_.end() - 1);
  Ragged checked = Checked(call, per_row, splits.back());
  splits.back() = checked.row_splits();
  return Assemble(checked.values(), std::move(splits));
}

Ragged Ragged::with_values(const Tensor& values, Where where) const {
  RaggedCall call{where};
  std::vector<Tensor> splits = splits_;
  // Known to fit, or checked, here or when the graph runs.
  bool fits =
      values.rank() > 0 && num_values() >= 0 && values.dim(0) == num_values();
  if (fits) return Assemble(values, std::move(splits));
  Ragged checked = Checked(call, values, row_splits());
  splits.back() = checked.row_splits();
  return Assemble(checked.values(), std::move(splits));
}

Ragged Ragged::map(const std::function<Tensor(const Tensor&)>& f,
                   Where where) const {
  return with_values(f(values_), where);
}

Ragged::Padded Ragged::to_padded(Where where) const {
  return to_padded(Array::Zeros(dtype(), Shape()), where);
}

Ragged::Padded Ragged::to_padded(const Operand& fill, Where where) const {
  RaggedCall call{where};
  const Tensor& splits = call.OneLevel("to_padded", *this);
  Padded out;
  out.values = call("RaggedToPadded", {values_, splits, fill, -1});
  Tensor width = call("Max", {call("Concat", {row_lengths(where), {0}})});
  out.mask =
      call("Less", {call.CountTo(width), call.WithRank(row_lengths(where), 2)});
  return out;
}

std::vector<Tensor> Ragged::to_list(Where where) const {
  RaggedCall call{where};
  call.OneLevel("to_list", *this);
  if (symbolic()) {
    call.Throw("to_list: the rows are part of a graph; wanted imperative ones");
  }
  std::vector<Tensor> rows;
  const Array ends = ValueOrThrow(OnHost(row_splits().array()));
  std::span<const int64_t> splits = ends.i64s();
  for (size_t r = 0; r + 1 < splits.size(); ++r) {
    rows.push_back(values_.at({slice(splits[r], splits[r + 1])}, where));
  }
  return rows;
}

namespace front_internal {

Ragged RaggedLiteral(Array values, const std::vector<int64_t>& splits,
                     std::source_location where) {
  Array at = Array::Vector(std::span<const int64_t>(splits));
  return Ragged::Assemble(constant(std::move(values), {}, where),
                          {constant(std::move(at), {}, where)});
}

}  // namespace front_internal

}  // namespace sluice
