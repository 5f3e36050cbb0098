#include "sluice/front/ragged_math.h"

#include <algorithm>
#include <limits>

#include "sluice/base/strings.h"
#include "sluice/eager/index.h"
#include "sluice/front/ragged_call.h"

namespace sluice {

using front_internal::RaggedCall;

namespace {

const Ragged& Held(const RaggedCall& call, std::string_view op,
                   const Ragged& r) {
  if (!r.defined()) call.Throw(StrCat(op, ": the Ragged holds nothing"));
  return r;
}

// The op on values and others, axes aligned at the front.
Tensor Aligned(const RaggedCall& call, std::string_view op, const Tensor& a,
               const Tensor& b) {
  int rank = std::max(call.RankOf(op, a), call.RankOf(op, b));
  return call(op, {call.WithRank(a, rank), call.WithRank(b, rank)});
}

// A scalar as it is, anything else with one slice for each value.
Operand ForValues(const RaggedCall& call, std::string_view op, const Ragged& r,
                  const Operand& other) {
  if (other.is_tensor()) {
    if (call.RankOf(op, other.tensor()) == 0) return other;
  } else if (other.literal_value().value().rank() == 0) {
    return other;
  }
  Operand rows = front_internal::Typed(op, other, r.dtype());
  return Operand(call("RaggedExpand", {rows, r.row_splits()}), call.where);
}

Ragged WithOther(std::string_view op, const Ragged& r, const Operand& other,
                 bool other_first, std::source_location where) {
  RaggedCall call{where};
  Held(call, op, r);
  Operand b = ForValues(call, op, r, other);
  bool one = !b.is_tensor() || b.tensor().rank() == 0;
  Tensor made;
  if (one) {
    made = other_first ? call(op, {b, r.values()}) : call(op, {r.values(), b});
  } else if (other_first) {
    made = Aligned(call, op, b.tensor(), r.values());
  } else {
    made = Aligned(call, op, r.values(), b.tensor());
  }
  return Ragged::Assemble(made, r.all_splits());
}

Ragged AlongRows(std::string_view op, RaggedOperand x,
                 const Attrs& attrs = {}) {
  RaggedCall call{x.where()};
  const Ragged& r = Held(call, op, x.ragged());
  return Ragged::Assemble(call(op, {r.values(), r.row_splits()}, attrs),
                          r.all_splits());
}

Tensor Summed(RaggedOperand x, bool mean) {
  RaggedCall call{x.where()};
  const Ragged& r = Held(call, mean ? "row_mean" : "row_sum", x.ragged());
  return call("RaggedSum", {r.values(), r.row_splits()}, {{"mean", mean}});
}

// By the ops of segments.
Tensor Reduced(const RaggedCall& call, std::string_view how, const Ragged& r,
               const Tensor& values) {
  return call(StrCat("UnsortedSegment", how),
              {values, r.row_ids(call.where), r.row_count(call.where)});
}
Tensor Reduced(std::string_view how, RaggedOperand x) {
  RaggedCall call{x.where()};
  const Ragged& r = Held(call, StrCat("row reduction ", how), x.ragged());
  return Reduced(call, how, r, r.values());
}

// Extremes of 0 and 1 in a type whose ends are false and true.
Tensor Truth(std::string_view how, RaggedOperand x) {
  RaggedCall call{x.where()};
  const Ragged& r = Held(call, "row_any or row_all", x.ragged());
  Tensor values = r.values();
  if (values.dtype() != DType::kBool) values = call("NotEqual", {values, 0});
  Tensor bytes = call("Cast", {values}, {{"dtype", DType::kU8}});
  return call("NotEqual", {Reduced(call, how, r, bytes), 0});
}

}  // namespace

Ragged ragged_binary(std::string_view op, RaggedOperand a, RaggedOperand b) {
  RaggedCall call{a.where()};
  bool checked = false;
  std::vector<Tensor> splits =
      call.SameSplits(op, a.ragged(), b.ragged(), &checked);
  Tensor values = Aligned(call, op, a.ragged().values(), b.ragged().values());
  if (checked) values = call.After(values, splits);
  return Ragged::Assemble(values, std::move(splits));
}
Ragged ragged_binary(std::string_view op, RaggedOperand a, const Operand& b) {
  return WithOther(op, a.ragged(), b, false, a.where());
}
Ragged ragged_binary(std::string_view op, const Operand& a, RaggedOperand b) {
  return WithOther(op, b.ragged(), a, true, b.where());
}

Ragged ragged_unary(std::string_view op, RaggedOperand x) {
  RaggedCall call{x.where()};
  const Ragged& r = Held(call, op, x.ragged());
  return Ragged::Assemble(call(op, {r.values()}), r.all_splits());
}

Ragged softmax(RaggedOperand x) { return AlongRows("RaggedSoftmax", x); }
Ragged log_softmax(RaggedOperand x) { return AlongRows("RaggedLogSoftmax", x); }
Ragged row_cumsum(RaggedOperand x, const RowCumsumOptions& options) {
  return AlongRows(
      "RaggedCumSum", x,
      {{"exclusive", options.exclusive}, {"reverse", options.reverse}});
}

Tensor row_sum(RaggedOperand x) { return Summed(x, false); }
Tensor row_mean(RaggedOperand x) { return Summed(x, true); }
Tensor row_max(RaggedOperand x) { return Reduced("Max", x); }
Tensor row_min(RaggedOperand x) { return Reduced("Min", x); }
Tensor row_prod(RaggedOperand x) { return Reduced("Prod", x); }
Tensor row_any(RaggedOperand x) { return Truth("Max", x); }
Tensor row_all(RaggedOperand x) { return Truth("Min", x); }

Tensor row_argmax(RaggedOperand x) {
  RaggedCall call{x.where()};
  const Ragged& r = Held(call, "row_argmax", x.ragged());
  const Tensor &values = r.values(), &splits = r.row_splits();
  Tensor largest = call("RaggedExpand", {row_max(x), splits});
  Tensor won = call("Equal", {values, largest});
  if (kFloats.contains(values.dtype())) {
    won = call("LogicalOr", {won, call("IsNan", {values})});
  }
  // The first place that has won; none has in a row without values.
  constexpr int64_t kNone = std::numeric_limits<int64_t>::max();
  Tensor count = call.CountTo(call("Size", {r.row_ids(x.where())}));
  Tensor starts =
      call("RaggedExpand", {splits.at({slice_to(-1)}, x.where()), splits});
  Tensor place = call("Sub", {count, starts});
  place = call.WithRank(place, call.RankOf("row_argmax", values));
  Tensor first = Reduced(call, "Min", r, call("Select", {won, place, kNone}));
  return call("Select", {call("Equal", {first, kNone}), int64_t{-1}, first});
}

}  // namespace sluice
