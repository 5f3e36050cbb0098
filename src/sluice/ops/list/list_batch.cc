#include "sluice/ops/list/list_batch.h"

namespace sluice::list_batch {

namespace {

// Whether one of the position inputs `from` to `to` - 1 differs between lanes.
bool PlacesDiffer(BatchContext& b, int from, int to) {
  for (int i = from; i < to; ++i) {
    if (b.batched(i) && !b.is_list(i)) return true;
  }
  return false;
}

}  // namespace

bool put(BatchContext& b) {
  int last = b.num_inputs() - 1;
  if (PlacesDiffer(b, 1, last)) return false;
  RuleVars inputs = b.all_in();
  inputs.front() = b.together(0);
  inputs.back() = b.full(last);
  return b.set_all(inputs);
}

bool both_lists(BatchContext& b) {
  return b.set_all({b.together(0), b.together(1)});
}

bool same_elements(BatchContext& b) {
  if (PlacesDiffer(b, 1, b.num_inputs())) return false;
  RuleVars inputs = b.all_in();
  inputs[0] = b.together(0);
  return b.set_all(inputs);
}

bool leave(BatchContext& b) {
  if (PlacesDiffer(b, 1, b.num_inputs())) return false;
  return b.set_all(b.all_in(), elements_with_lanes(b));
}

bool stacked_or(BatchContext& b) {
  int last = b.num_inputs() - 1;
  if (PlacesDiffer(b, 1, b.num_inputs())) return false;
  RuleVars inputs = b.all_in();
  RuleVar dims = b.in(last);
  inputs.back() =
      b.join({b.part(dims, 0, 1), b.lanes(), b.part(dims, 1, kMaxRank)});
  return set_turned(b, b.again(inputs, b.attrs())[0]);
}

Attrs elements_with_lanes(const BatchContext& b) {
  Attrs attrs = b.attrs();
  attrs.set("shape", b.with_lanes(b.attr<PartialShape>("shape")));
  return attrs;
}

bool set_turned(BatchContext& b, RuleVar value) {
  int rank = b.rank_out();
  if (rank > 0) {
    b.set(0, b.move_axis(value, rank + 1, 1, 0));
    return true;
  }
  // Merges all axes behind them into one.
  RuleVar size = b.sizes(value, 0, 1), rest = b.sizes(value, 2);
  RuleVar one = b.reshape(b.call("Prod", {rest}), b.ints({1}));
  RuleVar flat = b.reshape(value, b.join({size, b.lanes(), one}));
  b.set(0, b.reshape(b.transpose(flat, {1, 0, 2}),
                     b.join({b.lanes(), size, rest})));
  return true;
}

bool set_elements(BatchContext& b, RuleVar elements) {
  if (elements.dtype() == DType::kList) {
    b.set_boxed(0, elements);
  } else {
    b.set(0, elements);
  }
  return true;
}

bool set_lists(BatchContext& b, std::string_view op) {
  b.set_boxed(0, b.call(op, b.all_full()));
  return true;
}

}  // namespace sluice::list_batch
