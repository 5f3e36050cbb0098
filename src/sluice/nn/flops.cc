#include "sluice/nn/flops.h"

#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/graph/node_sizes.h"
#include "sluice/graph/role_of.h"

namespace sluice::nn {

namespace {

// A number known before anything runs; null when it is not.
const Array* KnownNumber(Value v) {
  while (RoleOf(v) == Role::kIdentity) v = v.node->input(0);
  return v.node->is_args() ? nullptr : ConstantValue(v);
}

// How often a loop runs that counts from 0 to a known number, as those over
// sequences do (front/control_flow.cc); 0 for others.
double TripsOf(const Node& loop) {
  const Region &cond = *loop.regions()[0], &body = *loop.regions()[1];
  Value goes_on = cond.results()[0];
  if (RoleOf(goes_on) != Role::kLess) return 0;
  Value counter = goes_on.node->input(0);
  if (counter.node != cond.args_node()) return 0;
  Value next = body.results()[static_cast<size_t>(counter.index)];
  bool counts = RoleOf(loop.input(counter.index)) == Role::kZerosLike &&
                RoleOf(next) == Role::kAdd &&
                next.node->input(0) == body.arg(counter.index);
  const Array* limit = KnownNumber(goes_on.node->input(1));
  const Array* step = counts ? KnownNumber(next.node->input(1)) : nullptr;
  if (!limit || limit->dtype() != DType::kI64 || !step ||
      *step->data<int64_t>() != 1) {
    return 0;
  }
  return static_cast<double>(*limit->data<int64_t>());
}

double LoopFlops(const Node& loop) {
  double trips = TripsOf(loop), work = 0;
  if (trips <= 0) return 0;
  for (const Node* node : loop.regions()[1]->nodes()) work += NodeFlops(*node);
  return trips * work;
}

}  // namespace

double NodeFlops(const Node& node) {
  if (node.op().flow == Flow::kLoop) return LoopFlops(node);
  CostFn count = node.op().flops ? node.op().flops : node.op().cost;
  if (!count) return 0;
  NodeSizes sizes(node);
  return sizes.fully_known() ? count(sizes.context()) : 0;
}

}  // namespace sluice::nn
