#include "sluice/front/own_points.h"

#include <unordered_set>

#include "sluice/eager/call.h"
#include "sluice/eager/ended_points.h"
#include "sluice/eager/grad_mode.h"
#include "sluice/eager/scope.h"
#include "sluice/eager/tape.h"
#include "sluice/trace/capture.h"
#include "sluice/trace/graph_tape.h"
#include "sluice/trace/inside_vmap.h"
#include "sluice/trace/trace_call.h"

namespace sluice::front_internal {

OwnPoints::OwnPoints(const std::vector<Tensor>& xs,
                     std::source_location where) {
  bool in_graph = Building::Current().graph && !Capture::Open();
  for (const Tensor& x : xs) {
    bool handle = x.symbolic() && x.dtype() == DType::kResource;
    bool leads_back = IsDeferred(x) || in_graph ||
                      (x.requires_grad() && EagerMode::Current().grad);
    made.push_back(!leads_back);
    if (handle) {
      at.push_back(x);
    } else if (leads_back) {
      Operand operands[] = {x};
      at.push_back(CallOne("Identity", operands, {}, {}, where));
    } else {
      at.push_back(x.detach().requires_grad_());
    }
  }
}

std::vector<Tensor> OwnPoints::Leaves() const {
  std::vector<Tensor> leaves;
  for (size_t i = 0; i < at.size(); ++i) {
    if (made[i]) leaves.push_back(at[i]);
  }
  return leaves;
}

bool OwnPoints::ReachBeyond(const std::vector<Tensor>& ys) const {
  return ReachesBeyond(ys, Leaves());
}

void OwnPoints::KeepIfBeyond(std::vector<Tensor>& ys,
                             const std::vector<Tensor>& others) const {
  front_internal::KeepIfBeyond(ys, others, Leaves());
}

void Retire(const std::vector<Tensor>& leaves) {
  for (const Tensor& leaf : leaves) {
    if (leaf.defined() && !IsDeferred(leaf)) EndPoint(*leaf.here());
  }
}

void OwnPoints::Retire() const {
  for (size_t i = 0; i < at.size(); ++i) {
    if (made[i]) front_internal::Retire({at[i]});
  }
}

namespace {

using Leaves = std::unordered_set<const EagerValue*>;

Leaves LeavesOf(const std::vector<Tensor>& tensors) {
  Leaves leaves;
  for (const Tensor& t : tensors) {
    if (t.defined() && !IsDeferred(t)) leaves.insert(t.here().get());
  }
  return leaves;
}

}  // namespace

bool ReachesBeyond(const std::vector<Tensor>& ys,
                   const std::vector<Tensor>& leaves) {
  const Leaves own = LeavesOf(leaves);
  std::vector<const TapeNode*> open;
  for (const Tensor& y : ys) {
    if (!y.defined() || IsDeferred(y)) continue;
    const EagerRef here = y.here();
    const EagerValue& value = *here;
    if (value.producer) open.push_back(value.producer.get());
    bool asked = value.requires_grad && !IsEndedPoint(value);
    if (!value.producer && asked && !own.count(&value)) return true;
  }
  std::unordered_set<const TapeNode*> seen(open.begin(), open.end());
  while (!open.empty()) {
    const TapeNode* node = open.back();
    open.pop_back();
    if (node->outside()) {
      Capture* capture = Capture::Open();
      if (!capture || !capture->HistoryIsOver(*node)) return true;
      continue;
    }
    for (const TapeEdge& edge : node->edges) {
      // A history stays one when its leaf requires gradients no more.
      const EagerValue* leaf = edge.leaf.get();
      if (leaf && !IsEndedPoint(*leaf) && !own.count(leaf)) return true;
      if (edge.node && seen.insert(edge.node.get()).second) {
        open.push_back(edge.node.get());
      }
    }
  }
  return false;
}

namespace {

// In which runs gradients flow from y to more than these leaves, and whether
// they flow to one of these at all.
struct Beyond {
  FlowWhen when;
  bool to_own = false;

  void Add(Capture& capture, const EagerValue& y, const Leaves& own) {
    for (const Reached& to : capture.ReachOf(y, 0)) {
      const EagerValue* leaf = to.key.leaf;
      if (leaf && (own.count(leaf) || IsEndedPoint(*leaf))) {
        to_own = true;
        continue;
      }
      Value told = to.when;
      auto* outside = dynamic_cast<const OutsideTapeNode*>(to.key.node);
      if (outside && capture.HistoryIsOver(*outside)) {
        to_own = true;
        continue;
      }
      if (outside && outside->when) {
        told = told
                   ? TraceNode(capture, "LogicalAnd", {told, outside->when}, {})
                   : outside->when;
      }
      when.always = when.always || !told;
      if (told) when.any.push_back(told);
    }
  }
};

}  // namespace

void KeepIfBeyond(std::vector<Tensor>& ys, const std::vector<Tensor>& others,
                  const std::vector<Tensor>& leaves) {
  Capture* capture = Capture::Open();
  if (!capture || !capture->merged() || InsideVmap()) return;
  const Leaves own = LeavesOf(leaves);
  Beyond all;
  std::vector<Tensor*> held;  // reach one of these, too
  auto add = [&](const Tensor& y) {
    if (!y.defined() || !y.traced() || y.is_sparse()) return false;
    all.to_own = false;
    all.Add(*capture, *capture->ValueOf(y), own);
    return all.to_own;
  };
  for (Tensor& y : ys) {
    if (add(y)) held.push_back(&y);
  }
  for (const Tensor& other : others) add(other);
  if (!all.when.open()) return;
  Value when = capture->AnyOf(all.when);
  for (Tensor* y : held) {
    const FlowWhen flows = capture->FlowOf(*capture->ValueOf(*y));
    Value its = when;
    if (flows.open()) {
      its = TraceNode(*capture, "LogicalAnd", {its, capture->AnyOf(flows)}, {});
    }
    Operand operands[] = {*y};
    *y = CallOne("Identity", operands, {}, {}, std::source_location::current());
    const EagerRef made = capture->ValueOf(*y);
    auto* call = dynamic_cast<GraphTapeNode*>(made->producer.get());
    if (call) call->SetWhen(static_cast<size_t>(made->output), its);
  }
}

}  // namespace sluice::front_internal
