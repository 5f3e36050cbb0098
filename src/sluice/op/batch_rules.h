// Batching rules shared by many ops, and their building blocks. An op's file
// names its rule:
//
//   SL_OP(Softmax) ... .batch(batch_rules::along_axis)
//
// Elementwise ops and reductions by shapes::reduce need not name one: theirs
// follow from their records. All are stateless; any thread.
#pragma once

#include <span>
#include <vector>

#include "sluice/op/batch_context.h"

namespace sluice {

// The op's own rule, or the one implied by its traits. Null: it runs lane by
// lane.
BatchFn BatchRuleOf(const OpRecord& op);

namespace batch_rules {

using Ints = std::vector<int64_t>;

// The op accepts any number of equal leading axes in all its inputs: lanes are
// one more.
bool leading(BatchContext& b);
// Axes broadcast, aligned at the last one.
bool elementwise(BatchContext& b);
// Attributes axes and keep_dims; no axes mean all.
bool reduction(BatchContext& b);
// Works along the attribute `axis` of all its inputs.
bool along_axis(BatchContext& b);
// The same for input 0; the others, which have no lanes, are smaller.
bool first_along_axis(BatchContext& b);
// Works along the attribute `axes` of its one input.
bool along_axes(BatchContext& b);
// The attribute `axis` is an axis of the result, which has one more than the
// inputs.
bool new_axis(BatchContext& b);
// Input 0 determines the form of the results; inputs are used unchanged.
bool like_first(BatchContext& b);
// Accepts any inputs.
bool as_given(BatchContext& b);
// Random numbers of the shape in the attribute `shape`: every lane draws its
// own, even if all lanes have the same shape.
bool random_of_shape(BatchContext& b);

// Ops with their own batch along axis 0 (images, rows of gates, rows of
// logits): lanes and rows are merged into one axis, and split again in the
// results. `inputs` have rows; the others apply to all rows. `shape` is the
// input that holds the shape of a result with rows, if there is one.
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

// Building blocks.

// Axes of a value of that rank, shifted past the lanes.
Ints shifted(const Ints& axes, int rank);
Ints prepended(int64_t first, const Ints& rest);
// Index tuples, [lanes, ..., depth], with the lane's index prepended to each:
// an op that gathers from all lanes with these still detects and refuses an
// index outside its example. `rank` is that of one example.
RuleVar with_lane_numbers(BatchContext& b, RuleVar indices, int rank);

}  // namespace batch_rules

}  // namespace sluice
