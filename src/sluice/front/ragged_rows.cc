#include "sluice/front/ragged_rows.h"

#include "sluice/base/strings.h"
#include "sluice/eager/index.h"
#include "sluice/front/ragged_call.h"

namespace sluice {

using front_internal::RaggedCall;
using Where = std::source_location;
using Ints = std::vector<int64_t>;

namespace {

Ragged Take(const RaggedCall& call, const Ragged& x, const Operand& rows) {
  std::vector<Tensor> taken = call.all("RaggedTake", {x.row_splits(), rows});
  return Ragged::Assemble(call("Gather", {x.values(), taken[0]}), {taken[1]});
}

// 0, 1, ... for each row.
Tensor RowNumbers(const RaggedCall& call, std::string_view function,
                  const Ragged& x) {
  call.OneLevel(function, x);
  return call.CountTo(x.row_count(call.where));
}

std::vector<Operand> ValuesOf(const std::vector<Ragged>& xs) {
  std::vector<Operand> values;
  for (const Ragged& x : xs) values.push_back(x.values());
  return values;
}

// The same values, each row in another order: where each comes from.
Ragged Reordered(const RaggedCall& call, const Ragged& x, const Tensor& from) {
  return Ragged::Assemble(call("Gather", {x.values(), from}), x.all_splits());
}

}  // namespace

Ragged take_rows(const Ragged& x, const Operand& rows, Where where) {
  RaggedCall call{where};
  call.OneLevel("take_rows", x);
  return Take(call, x, rows);
}

Ragged slice_rows(const Ragged& x, int64_t begin, int64_t end, int64_t step,
                  Where where) {
  RaggedCall call{where};
  Tensor numbers = RowNumbers(call, "slice_rows", x);
  return Take(call, x, numbers.at({slice(begin, end, step)}, where));
}

Ragged mask_rows(const Ragged& x, const Operand& mask, Where where) {
  RaggedCall call{where};
  Tensor numbers = RowNumbers(call, "mask_rows", x);
  return Take(call, x, call("MaskedSelect", {numbers, mask}));
}

Ragged mask_values(const Ragged& x, const Ragged& mask, Where where) {
  RaggedCall call{where};
  call.OneLevel("mask_values", x);
  Tensor splits = call.SameSplits("mask_values", x, mask)[0];
  Tensor kept = call("MaskedSelect", {x.values(), mask.values()});
  // How many are kept before each place.
  Tensor ones = call("Cast", {mask.values()}, {{"dtype", DType::kI64}});
  Tensor before = call("Concat", {Ints{0}, call("CumSum", {ones})});
  return Ragged::Assemble(call.After(kept, {splits}),
                          {call("Gather", {before, splits})});
}

Ragged concat_rows(const std::vector<Ragged>& xs, Where where) {
  RaggedCall call{where};
  if (xs.empty()) call.Throw("concat_rows: got no rows; wanted at least one");
  std::vector<Operand> lengths;
  for (const Ragged& x : xs) {
    call.OneLevel("concat_rows", x);
    lengths.push_back(x.row_lengths(where));
  }
  Tensor all = call("Concat", lengths, {{"axis", 0}});
  return Ragged::Assemble(call("Concat", ValuesOf(xs), {{"axis", 0}}),
                          {call("RaggedLengthsToSplits", {all})});
}

Ragged concat_in_rows(const std::vector<Ragged>& xs, Where where) {
  RaggedCall call{where};
  std::vector<Operand> splits;
  for (const Ragged& x : xs) {
    splits.push_back(call.OneLevel("concat_in_rows", x));
  }
  std::vector<Tensor> order = call.all("RaggedInterleave", splits);
  Tensor values = call("Concat", ValuesOf(xs), {{"axis", 0}});
  return Ragged::Assemble(call("Gather", {values, order[0]}), {order[1]});
}

Ragged repeat_rows(const Ragged& x, const Operand& n, Where where) {
  RaggedCall call{where};
  Tensor numbers = RowNumbers(call, "repeat_rows", x);
  return Take(call, x, call("Repeat", {numbers, n}));
}

Ragged tile_rows(const Ragged& x, int64_t n, Where where) {
  RaggedCall call{where};
  Tensor numbers = RowNumbers(call, "tile_rows", x);
  return Take(call, x, call("Tile", {numbers}, {{"multiples", Ints{n}}}));
}

Ragged reverse_rows(const Ragged& x, Where where) {
  RaggedCall call{where};
  Tensor numbers = RowNumbers(call, "reverse_rows", x);
  return Take(call, x, call("Reverse", {numbers}, {{"axes", Ints{0}}}));
}

Ragged reverse_in_rows(const Ragged& x, Where where) {
  RaggedCall call{where};
  const Tensor& splits = call.OneLevel("reverse_in_rows", x);
  // The first and the last place of a row, together, less the place itself.
  Tensor ends = call("Add", {splits.at({slice_to(-1)}, where),
                             splits.at({slice_from(1)}, where)});
  Tensor both = call("RaggedExpand", {call("Sub", {ends, 1}), splits});
  Tensor places = call.CountTo(call("Size", {both}));
  return Reordered(call, x, call("Sub", {both, places}));
}

Ragged sort_in_rows(const Ragged& x, bool descending, Where where) {
  RaggedCall call{where};
  const Tensor& splits = call.OneLevel("sort_in_rows", x);
  return Reordered(call, x,
                   call("RaggedArgSort", {x.values(), splits},
                        {{"descending", descending}}));
}

}  // namespace sluice
