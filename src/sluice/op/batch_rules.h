// Batching rules that many ops share, and what such rules are made of. An op's
// file names the one it has:
//
//   SL_OP(Softmax) ... .batch(batch_rules::along_axis)
//
// Elementwise ops and reductions by shapes::reduce need not: theirs follow from
// what their records say. All are stateless; any thread.
#pragma once

#include <span>
#include <vector>

#include "sluice/op/batch_context.h"

namespace sluice {

// The op's own rule, or the one its traits say. Null: it runs lane by lane.
BatchFn BatchRuleOf(const OpRecord& op);

namespace batch_rules {

using Ints = std::vector<int64_t>;

// The op takes any number of axes before those it works on, equal ones in all
// its inputs: lanes are one more.
bool leading(BatchContext& b);
// Axes broadcast from the last one on.
bool elementwise(BatchContext& b);
// Attributes axes and keep_dims; no axes mean all.
bool reduction(BatchContext& b);
// Works along the attribute `axis` of all its inputs.
bool along_axis(BatchContext& b);
// The same for input 0; the others, of which no lane has its own, are smaller.
bool first_along_axis(BatchContext& b);
// Works along the attribute `axes` of its one input.
bool along_axes(BatchContext& b);
// The attribute `axis` is one of the result, which has one more than inputs.
bool new_axis(BatchContext& b);
// Input 0 decides what the results have; inputs are taken as they are.
bool like_first(BatchContext& b);
// Takes whatever it is given.
bool as_given(BatchContext& b);
// Random numbers of the shape in the attribute `shape`: every lane draws its
// own, even where all lanes ask for the same.
bool random_of_shape(BatchContext& b);

// Ops with a batch of their own along axis 0 (images, rows of gates, rows of
// logits): lanes and rows become one axis, and two again in the results. These
// inputs have rows; the others belong to all rows. `shape` is the input that
// is the shape of a result with rows, if there is one.
bool fold_rows(BatchContext& b, std::span<const int> inputs, int shape = -1);
template <int... inputs>
bool rows(BatchContext& b) {
  static constexpr int kInputs[] = {inputs...};
  return fold_rows(b, kInputs);
}
template <int shape, int... inputs>
bool rows_to_shape(BatchContext& b) {
  static constexpr int kInputs[] = {inputs...};
  return fold_rows(b, kInputs, shape);
}

// Parts of rules.

// Axes of a value of that rank, behind the lanes.
Ints shifted(const Ints& axes, int rank);
Ints prepended(int64_t first, const Ints& rest);
// Tuples of indices, [lanes, ..., depth], with the number of the lane in front
// of each: an op that picks from all lanes by these still sees, and refuses, an
// index that is outside of its example. `rank` is that of one example.
RuleVar with_lane_numbers(BatchContext& b, RuleVar indices, int rank);

}  // namespace batch_rules

}  // namespace sluice
