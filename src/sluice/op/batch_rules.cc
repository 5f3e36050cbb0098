#include "sluice/op/batch_rules.h"

#include <algorithm>

namespace sluice {

BatchFn BatchRuleOf(const OpRecord& op) {
  if (op.batch) return op.batch;
  if (op.elementwise()) return batch_rules::elementwise;
  if (op.shape == shapes::reduce) return batch_rules::reduction;
  return nullptr;
}

namespace batch_rules {

bool leading(BatchContext& b) {
  if (b.num_inputs() > 1 && b.common_rank() < 0) return false;
  return b.set_all(b.all_full());
}

// Lanes stay in front if every input with lanes also gets its missing axes,
// with size 1, behind the lanes.
bool elementwise(BatchContext& b) {
  int most = 0;
  for (int i = 0; i < b.num_inputs(); ++i) {
    if (b.rank(i) < 0 && b.num_inputs() > 1) return false;
    most = std::max(most, b.rank(i));
  }
  RuleVars inputs;
  for (int i = 0; i < b.num_inputs(); ++i) {
    bool lacks = b.batched(i) && b.rank(i) >= 0;
    inputs.push_back(lacks ? b.expand(b.in(i), 1, most - b.rank(i)) : b.in(i));
  }
  return b.set_all(inputs);
}

bool reduction(BatchContext& b) {
  int rank = b.rank(0);
  if (rank < 0 || b.num_inputs() != 1) return false;
  Ints axes = shifted(b.attr<Ints>("axes"), rank);
  if (axes.empty()) {
    for (int i = 1; i <= rank; ++i) axes.push_back(i);
  }
  Attrs attrs = b.attrs();
  RuleVar x = b.in(0);
  if (rank == 0) {
    // A scalar: empty `axes` would include the axis of lanes.
    x = b.expand(x, 1);
    axes = {1};
    attrs.set("keep_dims", false);
  }
  attrs.set("axes", axes);
  return b.set_all({x}, attrs);
}

bool along_axis(BatchContext& b) {
  int rank = b.common_rank();
  if (rank < 1) return false;
  return b.set_all(b.all_full(), b.shifted_axis(rank));
}

bool first_along_axis(BatchContext& b) {
  if (b.rank(0) < 1) return false;
  for (int i = 1; i < b.num_inputs(); ++i) {
    if (b.batched(i)) return false;
  }
  return b.set_all(b.all_in(), b.shifted_axis(b.rank(0)));
}

bool along_axes(BatchContext& b) {
  Ints axes = b.attr<Ints>("axes");
  if (b.rank(0) < 0 || axes.empty()) return false;
  Attrs attrs = b.attrs();
  attrs.set("axes", shifted(axes, b.rank(0)));
  return b.set_all({b.in(0)}, attrs);
}

bool new_axis(BatchContext& b) {
  int rank = b.common_rank();
  if (rank < 0) return false;
  return b.set_all(b.all_full(), b.shifted_axis(rank + 1));
}

bool like_first(BatchContext& b) {
  RuleVars inputs = b.all_in();
  inputs[0] = b.full(0);
  return b.set_all(inputs);
}

bool as_given(BatchContext& b) { return b.set_all(b.all_in()); }

// The sizes are an attribute, which includes the lanes if their number is known
// while building. Otherwise lanes draw one after the other.
bool random_of_shape(BatchContext& b) {
  const PartialShape& shape = b.attr<PartialShape>("shape");
  if (b.known_lanes() < 0 || !shape.rank_known() || shape.rank() >= kMaxRank) {
    return false;
  }
  Attrs attrs = b.attrs();
  attrs.set("shape", b.with_lanes(shape));
  return b.set_all({}, attrs);
}

bool fold_rows(BatchContext& b, std::span<const int> inputs, int shape) {
  RuleVars merged;
  RuleVar rows;
  for (int i = 0; i < b.num_inputs(); ++i) {
    if (std::find(inputs.begin(), inputs.end(), i) == inputs.end()) {
      if (b.batched(i)) return false;
      merged.push_back(b.in(i));
      continue;
    }
    if (b.rank(i) < 1) return false;
    RuleVar x = b.full(i);
    rows = b.sizes(x, 1, 1);
    RuleVar all = b.times(b.lanes(), rows);
    merged.push_back(b.reshape(x, b.join({all, b.sizes(x, 2)})));
  }
  if (shape >= 0) {
    RuleVar& sizes = merged[static_cast<size_t>(shape)];
    RuleVar rest = b.part(sizes, 1, kMaxRank);
    sizes = b.join({b.times(b.lanes(), rows), rest});
  }
  RuleVars made = b.again(merged, b.attrs());
  for (size_t i = 0; i < made.size(); ++i) {
    RuleVar two = b.join({b.lanes(), rows, b.sizes(made[i], 1)});
    b.set(static_cast<int>(i), b.reshape(made[i], two));
  }
  return true;
}

Ints shifted(const Ints& axes, int rank) {
  Ints moved;
  for (int64_t axis : axes) {
    moved.push_back((axis < 0 ? axis + rank : axis) + 1);
  }
  return moved;
}

Ints prepended(int64_t first, const Ints& rest) {
  Ints all{first};
  all.insert(all.end(), rest.begin(), rest.end());
  return all;
}

RuleVar with_lane_numbers(BatchContext& b, RuleVar indices, int rank) {
  RuleVar shape = b.join({b.sizes(indices, 0, rank), b.ints({1})});
  RuleVar numbers =
      b.call("BroadcastTo", {b.lane_numbers(indices.dtype(), rank + 1), shape});
  return b.call("Concat", {numbers, indices}, {{"axis", rank}});
}

}  // namespace batch_rules

}  // namespace sluice
