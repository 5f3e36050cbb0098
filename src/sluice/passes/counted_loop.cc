#include "sluice/passes/counted_loop.h"

#include <algorithm>

#include "sluice/graph/role_of.h"

namespace sluice {

namespace {

std::optional<int64_t> ConstantInt(const Value& v) {
  const Array* array = ConstantValue(v);
  if (!array || array->rank() != 0) return std::nullopt;
  if (array->dtype() == DType::kI32) return *array->data<int32_t>();
  if (array->dtype() == DType::kI64) return *array->data<int64_t>();
  return std::nullopt;
}

// v is one of the carried values plus 1.
bool IsNext(const Value& v, const Value& counter) {
  if (RoleOf(v) != Role::kAdd) return false;
  const Value &a = v.node->input(0), &b = v.node->input(1);
  return (a == counter && ConstantInt(b) == 1) ||
         (b == counter && ConstantInt(a) == 1);
}

// The loop's bound if `pred` says that carried value i is below it.
Value BoundOf(const Node& loop, const Value& pred, int* i) {
  bool less = RoleOf(pred) == Role::kLess;
  if (!less && RoleOf(pred) != Role::kGreater) return {};
  const Value& small = pred.node->input(less ? 0 : 1);
  const Value& large = pred.node->input(less ? 1 : 0);
  const Region& cond = *loop.regions()[0];
  if (small.node != cond.args_node()) return {};
  bool outside = large.node->region()->Encloses(loop.region());
  if (!outside && !ConstantInt(large)) return {};
  *i = small.index;
  return large;
}

// Searches for the bound in `pred` and, if that is a conjunction, in its parts.
std::optional<CountedLoop> Search(const Node& loop, const Value& pred,
                                  bool exact, int depth) {
  if (pred.node->region() != loop.regions()[0].get() || depth > 8) {
    return std::nullopt;
  }
  if (RoleOf(pred) == Role::kAnd) {
    for (const Value& part : pred.node->inputs()) {
      if (auto found = Search(loop, part, false, depth + 1)) return found;
    }
    return std::nullopt;
  }
  CountedLoop counted;
  counted.end = BoundOf(loop, pred, &counted.counter);
  if (!counted.end) return std::nullopt;
  const Region& body = *loop.regions()[1];
  int i = counted.counter;
  std::optional<int64_t> start = ConstantInt(loop.input(i));
  if (!start || !IsNext(body.results()[static_cast<size_t>(i)], body.arg(i))) {
    return std::nullopt;
  }
  counted.start = *start;
  counted.exact = exact;
  auto maximum = loop.attrs().get<int64_t>("maximum");
  std::optional<int64_t> end = ConstantInt(counted.end);
  if (end && *start >= 0) {
    counted.trips = *end > *start ? *end - *start : 0;
    if (maximum >= 0) counted.trips = std::min(counted.trips, maximum);
  }
  return counted;
}

}  // namespace

std::optional<CountedLoop> FindCounter(const Node& loop) {
  if (loop.op().flow != Flow::kLoop) return std::nullopt;
  return Search(loop, loop.regions()[0]->results()[0], true, 0);
}

bool SurelyEnds(const Node& loop) {
  return loop.attrs().get<int64_t>("maximum") >= 0 ||
         FindCounter(loop).has_value();
}

}  // namespace sluice
