#include "sluice/op/batch_context.h"

#include <algorithm>
#include <numeric>

namespace sluice {

bool BatchContext::any_batched() const {
  return std::find(batched_.begin(), batched_.end(), true) != batched_.end();
}

RuleVars BatchContext::all_in() {
  RuleVars vars;
  for (int i = 0; i < num_inputs(); ++i) vars.push_back(in(i));
  return vars;
}

RuleVars BatchContext::all_full() {
  RuleVars vars;
  for (int i = 0; i < num_inputs(); ++i) vars.push_back(full(i));
  return vars;
}

int BatchContext::common_rank() const {
  for (int i = 1; i < num_inputs(); ++i) {
    if (rank(i) != rank(0)) return -1;
  }
  return num_inputs() == 0 ? -1 : rank(0);
}

PartialShape BatchContext::with_lanes(const PartialShape& shape) const {
  return WithLanes(shape, known_lanes());
}

RuleVar BatchContext::lane_numbers(DType dtype, int rank) {
  RuleVar count = reshape(lanes(), ints({}));
  RuleVar numbers = call("Range", {integer(0), count, integer(1)});
  return expand(cast(numbers, dtype), 1, rank - 1);
}

RuleVars BatchContext::again(std::span<const RuleVar> inputs,
                             const Attrs& attrs) {
  RuleVars made = call_all(op().name, inputs, attrs);
  made.resize(static_cast<size_t>(num_outputs()));
  return made;
}

bool BatchContext::set_all(std::span<const RuleVar> inputs,
                           const Attrs& attrs) {
  RuleVars made = again(inputs, attrs);
  for (size_t i = 0; i < made.size(); ++i) set(static_cast<int>(i), made[i]);
  return true;
}

Attrs BatchContext::shifted_axis(int rank, std::string_view name) const {
  int64_t axis = attr<int64_t>(name);
  Attrs moved = attrs();
  moved.set(name, (axis < 0 ? axis + rank : axis) + 1);
  return moved;
}

RuleVar BatchContext::integer(int64_t value) {
  return constant(Array::Scalar(value));
}

RuleVar BatchContext::reshape(RuleVar x, RuleVar shape) {
  return call("Reshape", {x, shape});
}

RuleVar BatchContext::expand(RuleVar x, int axis, int times) {
  for (; times > 0; --times) x = call("ExpandDims", {x}, {{"axis", axis}});
  return x;
}

RuleVar BatchContext::transpose(RuleVar x, const std::vector<int64_t>& perm) {
  if (std::is_sorted(perm.begin(), perm.end())) return x;
  return call("Transpose", {x}, {{"perm", perm}});
}

RuleVar BatchContext::move_axis(RuleVar x, int rank, int from, int to) {
  return transpose(x, AxisMoved(rank, from, to));
}

RuleVar BatchContext::gather(RuleVar x, RuleVar rows) {
  return call("Gather", {x, rows});
}

RuleVar BatchContext::part(RuleVar vector, int64_t from, int64_t to) {
  return call("StridedSlice", {vector},
              {{"begin", std::vector<int64_t>{from}},
               {"end", std::vector<int64_t>{to}},
               {"strides", std::vector<int64_t>{1}}});
}

PartialShape WithLanes(const PartialShape& shape, int64_t lanes) {
  if (!shape.rank_known() || shape.rank() >= kMaxRank) return {};
  PartialShape made = PartialShape::OfRank(shape.rank() + 1);
  made.set_dim(0, lanes);
  for (int i = 0; i < shape.rank(); ++i) {
    made.set_dim(i + 1, std::max(shape[i], kUnknownDim));
  }
  return made;
}

std::vector<int64_t> AxisMoved(int rank, int from, int to) {
  std::vector<int64_t> perm(static_cast<size_t>(rank));
  std::iota(perm.begin(), perm.end(), 0);
  perm.erase(perm.begin() + from);
  perm.insert(perm.begin() + to, from);
  return perm;
}

}  // namespace sluice
