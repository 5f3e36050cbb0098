#include "sluice/graph/loop_counts.h"

#include <algorithm>

#include "sluice/graph/graph.h"
#include "sluice/graph/role_of.h"

namespace sluice {

namespace {

// The number of a constant, directly or through identities.
std::optional<int64_t> NumberOf(Value v) {
  while (RoleOf(v) == Role::kIdentity) v = v.node->input(0);
  if (RoleOf(v) == Role::kZerosLike && v.shape().rank() == 0) return 0;
  const Array* value = ConstantValue(v);
  if (!value || value->num_elements() != 1) return std::nullopt;
  if (value->dtype() == DType::kI64) return *value->data<int64_t>();
  if (value->dtype() == DType::kI32) return *value->data<int32_t>();
  return std::nullopt;
}

// The number added to carried value i in every iteration.
std::optional<int64_t> StepOf(const Node& loop, int i) {
  const Region& body = *loop.regions()[1];
  const Value& next = body.results()[static_cast<size_t>(i)];
  Role role = RoleOf(next);
  if (role != Role::kAdd && role != Role::kSub) return std::nullopt;
  const Node& node = *next.node;
  if (node.input(0) == body.arg(i)) {
    std::optional<int64_t> step = NumberOf(node.input(1));
    if (step && role == Role::kSub) return -*step;
    return step;
  }
  if (role == Role::kAdd && node.input(1) == body.arg(i)) {
    return NumberOf(node.input(0));
  }
  return std::nullopt;
}

// The loop whose iterations the value counts.
const Node* CountedBy(const Value& v) {
  const Node& loop = *v.node;
  if (loop.op().flow != Flow::kLoop || loop.regions().size() != 2) {
    return nullptr;
  }
  bool counts =
      NumberOf(loop.input(v.index)) == 0 && StepOf(loop, v.index) == 1;
  return counts ? &loop : nullptr;
}

}  // namespace

LoopCount CountOf(const Node& loop) {
  LoopCount count;
  const Region& cond = *loop.regions()[0];
  const Value& more = cond.results()[0];
  if (more.node->num_inputs() != 2) return count;
  const Node& compare = *more.node;
  int carried = -1;
  for (int i = 0; i < cond.num_args(); ++i) {
    if (compare.input(0) == cond.arg(i)) carried = i;
  }
  if (carried < 0) return count;
  std::optional<int64_t> first = NumberOf(loop.input(carried));
  std::optional<int64_t> end = NumberOf(compare.input(1));
  std::optional<int64_t> step = StepOf(loop, carried);
  if (!end || !step) return count;
  bool up = RoleOf(more) == Role::kLess && *step > 0;
  bool down = RoleOf(more) == Role::kGreater && *step < 0;
  if (!up && !down) return count;
  if (first) {
    int64_t way = up ? *end - *first : *first - *end;
    int64_t stride = up ? *step : -*step;
    count.number = way <= 0 ? 0 : (way + stride - 1) / stride;
  } else if (down && *step == -1 && *end == 0) {
    count.same_as = CountedBy(loop.input(carried));
    if (count.same_as) count.number = CountOf(*count.same_as).number;
  }
  return count;
}

}  // namespace sluice
