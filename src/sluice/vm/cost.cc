#include "sluice/vm/cost.h"

#include <algorithm>
#include <unordered_set>

#include "sluice/graph/graph.h"
#include "sluice/launch/op_cost.h"
#include "sluice/vm/values.h"

namespace sluice {

namespace {

constexpr double kCell = 3;         // an element computed in a cell
constexpr double kJump = 2;         // a branch taken, an iteration begun
constexpr double kCall = 50;        // a call and its return
constexpr double kAnyTrips = 100;   // of a loop without known count
constexpr double kRecursion = 1e4;  // of a function that calls itself

class Cost {
 public:
  double Of(const Node& node) {
    switch (node.op().flow) {
      case Flow::kBranch: {
        double most = 0;
        for (const auto& r : node.regions()) most = std::max(most, Of(*r));
        return kJump + most;
      }
      case Flow::kLoop: {
        int64_t trips = KnownTrips(node);
        double times = trips >= 0 ? static_cast<double>(trips) : kAnyTrips;
        return kJump + times * (kJump + Of(*node.regions()[0]) +
                                Of(*node.regions()[1]));
      }
      case Flow::kFunction:
        return 0;
      case Flow::kCall: {
        const Node* function = node.input(0).node;
        if (!open_.insert(function).second) return kRecursion;
        double body = kCall + Of(*function->regions()[0]);
        open_.erase(function);
        return body;
      }
      default:
        break;
    }
    if (node.num_outputs() == 1 && VmConstant(OutputOf(node))) return 0;
    bool cell = node.op().block && IsCellType(OutputOf(node));
    return cell ? kCell : NodeCostNanos(node);
  }

 private:
  static Value OutputOf(const Node& node) {
    return {const_cast<Node*>(&node), 0};
  }
  double Of(const Region& region) {
    double sum = 0;
    for (const Node* node : region.nodes()) sum += Of(*node);
    return sum;
  }

  std::unordered_set<const Node*> open_;
};

// A constant integer.
bool IntegerOf(const Value& v, int64_t* value) {
  const Array* a = VmConstant(v);
  if (!a || a->num_elements() != 1) return false;
  if (a->dtype() == DType::kI32) {
    *value = *a->data<int32_t>();
  } else if (a->dtype() == DType::kI64) {
    *value = *a->data<int64_t>();
  } else {
    return false;
  }
  return true;
}

}  // namespace

double BytecodeCostNanos(const Node& node) { return Cost().Of(node); }

int64_t KnownTrips(const Node& loop) {
  const auto maximum = loop.attrs().get<int64_t>("maximum");
  const Region &cond = *loop.regions()[0], &body = *loop.regions()[1];
  const Node* test = cond.results()[0].node;
  if (test->is_args() || test->num_inputs() != 2) return maximum;
  // counter < end, then counter + step: evaluated directly, because running the
  // ops would cost as much as the loop.
  const Value& counter = test->input(0);
  int64_t begin, end, step;
  if (test->op().role != Role::kLess || counter.node != cond.args_node() ||
      !IntegerOf(test->input(1), &end) ||
      !IntegerOf(loop.input(counter.index), &begin)) {
    return maximum;
  }
  const Value& next = body.results()[static_cast<size_t>(counter.index)];
  Value arg = body.arg(counter.index);
  if (next.node->op().role != Role::kAdd) return maximum;
  const Value &a = next.node->input(0), &b = next.node->input(1);
  if (!(a == arg && IntegerOf(b, &step)) &&
      !(b == arg && IntegerOf(a, &step))) {
    return maximum;
  }
  if (step <= 0) return maximum;
  int64_t trips = end <= begin ? 0 : (end - begin - 1) / step + 1;
  return maximum >= 0 ? std::min(trips, maximum) : trips;
}

}  // namespace sluice
