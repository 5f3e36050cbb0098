#include "sluice/nn/row_schedule.h"

#include "sluice/eager/operators.h"
#include "sluice/eager/scope.h"
#include "sluice/nn/beside.h"
#include "sluice/nn/checks.h"
#include "sluice/nn/reshape.h"
#include "sluice/ops.h"

namespace sluice::nn {

using Where = std::source_location;

namespace {

// Beside what they count.
Tensor Numbers(const Tensor& of, const Operand& begin, const Operand& end,
               Where where) {
  return Beside(of, range(begin, end, int64_t{1}, {}, where), where);
}

Tensor SizeOfAxis(const Tensor& x, int64_t axis, Where where) {
  return gather(shape(x, {}, where), axis, {}, {}, where);
}

// The lengths as i64, once they are known to fit.
Tensor Checked(const Tensor& x, const Tensor& lengths, const Tensor& time,
               Where where) {
  bool integers =
      lengths.dtype() == DType::kI64 || lengths.dtype() == DType::kI32;
  PartialShape shape = lengths.shape();
  bool fits = !shape.rank_known() || shape.rank() == 1;
  if (fits && shape.rank_known() && shape[0] >= 0 && x.rank() > 1 &&
      x.dim(1) >= 0) {
    fits = shape[0] == x.dim(1);
  }
  SL_WANT(integers && fits, where, "lengths is ",
          TypeText(lengths.dtype(), shape),
          "; wanted one integer for each example of x, ",
          TypeText(x.dtype(), x.shape()));
  Tensor wide = cast(lengths, DType::kI64, {}, where);
  Tensor good = logical_and(greater_equal(wide, int64_t{0}, {}, where),
                            less_equal(wide, time, {}, where), {}, where);
  Operation check = assert_that(
      good, {wide, time},
      {.message = "lengths of sequences; wanted 0 <= length <= steps"}, {},
      where);
  if (!check) return wide;
  ControlScope after({check});
  return identity(wide, {}, where);
}

}  // namespace

RowSchedule MakeSchedule(const Tensor& x, const Tensor& lengths, Where where) {
  RowSchedule s;
  s.time = SizeOfAxis(x, 0, where);
  s.batch = SizeOfAxis(x, 1, where);
  Tensor given = Checked(x, Beside(x, lengths, where), s.time, where);
  s.order = arg_sort(given, {}, {}, where);
  s.places = invert_permutation(s.order, {}, where);
  Tensor sorted = gather(given, s.order, {}, {}, where);

  // Of all times, then of those at which somebody runs.
  Tensor times = Numbers(given, int64_t{0}, s.time, where);
  Tensor runs = less(expand_dims(times, 1, {}, where), sorted, {}, where);
  Tensor all = count_non_zero(runs, {.axes = {1}}, {}, where);
  s.steps = maximum(count_non_zero(all, {}, {}, where), int64_t{1}, {}, where);
  Tensor used = Numbers(given, int64_t{0}, s.steps, where);
  // Nobody runs after the last.
  Tensor none = zeros_like(expand_dims(s.steps, 0, {}, where), {}, where);
  Tensor and_then = concat({all, none, none}, {}, {}, where);
  s.counts = gather(and_then, used, {}, {}, where);
  Tensor next =
      gather(and_then, add(used, int64_t{1}, {}, where), {}, {}, where);
  s.leaving = sub(s.counts, next, {}, where);
  s.without =
      count_non_zero(equal(given, int64_t{0}, {}, where), {}, {}, where);

  // Rows in order of time, then of length.
  Tensor found = non_zero(runs, {}, where);
  Tensor at = gather(found, int64_t{0}, {.axis = 1}, {}, where);
  Tensor place = gather(found, int64_t{1}, {.axis = 1}, {}, where);
  s.rows = add(mul(at, s.batch, {}, where),
               gather(s.order, place, {}, {}, where), {}, where);
  Tensor other = sub(sub(gather(sorted, place, {}, {}, where), at, {}, where),
                     int64_t{1}, {}, where);
  // Where the rows of a time would begin, had all examples one.
  Tensor begins = sub(cumsum(s.counts, {}, {}, where), s.batch, {}, where);
  s.mirrored = add(gather(begins, other, {}, {}, where), place, {}, where);
  return s;
}

Tensor PackRows(const RowSchedule& schedule, const Tensor& x, Where where) {
  SL_WANT(x.rank() != 0 && x.rank() != 1, where, "a sequence is ",
          TypeText(x.dtype(), x.shape()), "; wanted [steps, batch, ...]");
  std::vector<SizeOf> sizes{-1};
  for (int i = 2; i < x.rank(); ++i) sizes.emplace_back(x, i);
  return gather(Reshaped(x, sizes, where), schedule.rows, {}, {}, where);
}

Tensor PadRows(const RowSchedule& schedule, const Tensor& rows, Where where) {
  Tensor sizes = shape(rows, {}, where);
  Tensor places =
      Numbers(sizes, int64_t{1}, SizeOfAxis(sizes, 0, where), where);
  Tensor each = gather(sizes, places, {}, {}, where);
  Tensor time = expand_dims(schedule.time, 0, {}, where);
  Tensor batch = expand_dims(schedule.batch, 0, {}, where);
  Tensor all = mul(time, batch, {}, where);
  Tensor padded = scatter_nd(expand_dims(schedule.rows, 1, {}, where), rows,
                             concat({all, each}, {}, {}, where), {}, where);
  Tensor y =
      reshape(padded, concat({time, batch, each}, {}, {}, where), {}, where);
  if (!rows.shape().rank_known()) return y;
  // What is known of the sizes, which the shape's own values hide.
  std::vector<int64_t> known{-1, -1};
  for (int i = 1; i < rows.rank(); ++i) known.push_back(rows.dim(i));
  return ensure_shape(y, PartialSizes(known).shape(), {}, where);
}

Tensor LastRows(const Tensor& x, const Tensor& count, const Tensor& of,
                Where where) {
  Tensor places = Numbers(x, sub(of, count, {}, where), of, where);
  return gather(x, places, {}, {}, where);
}

Tensor FirstRows(const Tensor& x, const Tensor& count, Where where) {
  return gather(x, Numbers(x, int64_t{0}, count, where), {}, {}, where);
}

}  // namespace sluice::nn
