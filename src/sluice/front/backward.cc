#include "sluice/front/backward.h"

#include <algorithm>
#include <unordered_map>

#include "sluice/base/foreign_error.h"
#include "sluice/base/interruption.h"
#include "sluice/base/strings.h"
#include "sluice/front/eager_call.h"
#include "sluice/front/grad_mode.h"
#include "sluice/front/rows.h"
#include "sluice/front/tensor.h"
#include "sluice/kernels/finite_range.h"
#include "sluice/op/registry.h"

namespace sluice {

namespace {

// What only the engine holds, so that it may be written over or given away.
bool Owned(const EagerValue& v) {
  return v.array.unique() && v.array.contiguous();
}

// Room for the engine's lists, kept from run to run.
struct Lists {
  std::vector<Ref<TapeNode>> heap;
  std::vector<EagerRef> leaves;
};
Lists& SpareLists() {
  thread_local Lists lists;
  return lists;
}

class Engine {
 public:
  explicit Engine(const BackwardRequest& request)
      : request_(request), mode_(request.record) {
    std::swap(heap_, SpareLists().heap);
    std::swap(leaves_, SpareLists().leaves);
  }
  // Whatever happened, nothing of this run stays behind.
  ~Engine() {
    for (const Ref<TapeNode>& node : heap_) Leave(*node);
    if (passing_) Leave(*passing_);
    for (const EagerRef& leaf : leaves_) {
      leaf->run = nullptr;
      leaf->flow = {};
    }
    heap_.clear();
    leaves_.clear();
    std::swap(heap_, SpareLists().heap);
    std::swap(leaves_, SpareLists().leaves);
  }

  Result<std::vector<EagerRef>> Run() {
    for (const EagerRef& input : request_.inputs) {
      if (!input->producer) wanted_leaves_.push_back(input.get());
    }
    SL_RETURN_IF_ERROR(Seed());
    while (!heap_.empty()) {
      std::pop_heap(heap_.begin(), heap_.end(), Earlier);
      SL_RETURN_IF_ERROR(Interruption::Check());
      passing_ = std::move(heap_.back());
      heap_.pop_back();
      Status status = Pass(*passing_);
      Leave(*passing_);
      SL_RETURN_IF_ERROR(status);
    }
    return Finish();
  }

 private:
  static bool Earlier(const Ref<TapeNode>& a, const Ref<TapeNode>& b) {
    return a->depth() < b->depth();
  }
  static void Leave(TapeNode& node) {
    node.run = nullptr;
    node.flows.clear();
  }

  Status Seed() {
    for (size_t i = 0; i < request_.roots.size(); ++i) {
      const EagerRef& y = request_.roots[i];
      if (!y->tracked() || !kFloats.contains(y->array.dtype())) {
        return FailedPrecondition(StrCat(
            "backward: ", y->Describe(),
            ", was not made from a tensor that requires gradients; wanted "
            "requires_grad on one, and no sluice::NoGrad around the calls"));
      }
      EagerRef g =
          i < request_.gradients.size() ? request_.gradients[i] : EagerRef();
      if (g && (!(g->array.shape() == y->array.shape()) ||
                g->array.dtype() != y->array.dtype())) {
        return InvalidArgument(StrCat("backward: the gradient is ",
                                      g->array.TypeText(), "; wanted ",
                                      y->array.TypeText(), " as the value"));
      }
      if (!g && y->array.num_elements() != 1) {
        return InvalidArgument(StrCat(
            "backward: ", y->Describe(), ", has ", y->array.num_elements(),
            " elements; wanted a scalar, or a gradient to begin with"));
      }
      if (!g) {
        static const OpRecord* ones_like = FindOp("OnesLike");
        EagerResults ones;
        SL_RETURN_IF_ERROR(EagerCall(*ones_like, {&y, 1}, {}, y->line, ones));
        g = ones[0];
      }
      SL_RETURN_IF_ERROR(Flow(EdgeTo(y), std::move(g)));
    }
    return OkStatus();
  }

  Status Flow(const TapeEdge& edge, EagerRef gradient) {
    EagerRef* slot = nullptr;
    if (edge.node) {
      TapeNode& node = *edge.node;
      if (node.run != this) {
        if (node.run) {
          return FailedPrecondition(StrCat(
              "backward: a run inside another one meets the same call of ",
              node.name(), "; wanted calls of its own"));
        }
        node.run = this;
        node.flows.resize(node.num_outputs());
        heap_.push_back(edge.node);
        std::push_heap(heap_.begin(), heap_.end(), Earlier);
      }
      slot = &node.flows[static_cast<size_t>(edge.output)];
    } else {
      EagerValue& leaf = *edge.leaf;
      if (leaf.run != this) {
        if (leaf.run) {
          return FailedPrecondition(
              StrCat("backward: a run inside another one meets the same leaf, ",
                     leaf.Describe()));
        }
        leaf.run = this;
        leaves_.push_back(edge.leaf);
      }
      slot = &leaf.flow;
    }
    if (!*slot) {
      *slot = std::move(gradient);
      return OkStatus();
    }
    SL_ASSIGN_OR_RETURN(
        *slot,
        AddGradients(std::move(*slot), std::move(gradient), request_.record));
    return OkStatus();
  }

  Status Pass(TapeNode& node) {
    // A hook may take itself away, or add another.
    const std::vector<TapeNode::Hook> hooks = node.hooks;
    for (const TapeNode::Hook& hook : hooks) {
      EagerRef& g = node.flows[static_cast<size_t>(hook.output)];
      if (!g) continue;
      if (EagerRef changed = hook.call(g)) g = std::move(changed);
    }
    // Gradients of values that are asked for end here; they may flow on too.
    for (const EagerRef& input : request_.inputs) {
      if (input->producer.get() == &node) {
        met_[input.get()] = node.flows[static_cast<size_t>(input->output)];
      }
    }
    if (!LeadsOn(node)) return OkStatus();
    // Rules know dense gradients alone.
    for (EagerRef& g : node.flows) {
      if (!g || !g->rows) continue;
      SL_ASSIGN_OR_RETURN(g, DenseGradient(g));
    }
    SmallVector<EagerRef, 4> dx;
    dx.resize(node.edges.size());
    Status status;
    try {
      status = node.Backward(node.flows, request_.record, dx);
    } catch (...) {
      AddToForeignError(StrCat("in the gradient of ", node.name(), " at ",
                               node.line().ToString()));
      throw;
    }
    if (status.ok() && front_internal::EagerMode::Current().nan_trap) {
      status = CheckFiniteGradients(node, dx);
    }
    if (!status.ok()) {
      std::string text(status.message());
      if (node.line().known()) {
        StrAppend(text, "\n  in the gradient of ", node.name(), " at ",
                  node.line().ToString());
      }
      return Status(status.code(), text);
    }
    node.flows.clear();
    for (size_t i = 0; i < dx.size(); ++i) {
      if (!dx[i] || !node.edges[i]) continue;
      SL_RETURN_IF_ERROR(Flow(node.edges[i], std::move(dx[i])));
    }
    if (!request_.retain && !request_.record) node.Drop();
    return OkStatus();
  }

  // For sl::NanTrap: what a call passes on, whose own ops are not looked at.
  static Status CheckFiniteGradients(const TapeNode& node,
                                     std::span<const EagerRef> dx) {
    for (size_t i = 0; i < dx.size(); ++i) {
      if (!dx[i]) continue;
      const EagerValue& g = dx[i]->rows ? *dx[i]->rows->values : *dx[i];
      std::string bad = DescribeBad(g.array);
      if (bad.empty()) continue;
      return InvalidArgument(StrCat(
          "[", node.name(), "] the gradient of its input ", i, ": ", bad));
    }
    return OkStatus();
  }

  // Whether anything beyond this node was asked for. Without inputs everything
  // is; with them, those whose way leads to one.
  bool LeadsOn(const TapeNode& start) {
    if (request_.inputs.empty()) return true;
    std::vector<const TapeNode*> open = {&start};
    while (!open.empty()) {
      const TapeNode* node = open.back();
      if (leads_.count(node)) {
        open.pop_back();
        continue;
      }
      bool all_known = true, leads = false;
      for (const TapeEdge& edge : node->edges) {
        if (edge.leaf) {
          leads =
              leads || std::find(wanted_leaves_.begin(), wanted_leaves_.end(),
                                 edge.leaf.get()) != wanted_leaves_.end();
        }
        if (!edge.node) continue;
        for (const EagerRef& input : request_.inputs) {
          leads = leads || (input->producer == edge.node &&
                            input->output == edge.output);
        }
        auto it = leads_.find(edge.node.get());
        if (it != leads_.end()) {
          leads = leads || it->second;
        } else if (!leads) {
          all_known = false;
          open.push_back(edge.node.get());
        }
      }
      if (leads || all_known) {
        leads_[node] = leads;
      }
    }
    return leads_[&start];
  }

  Result<std::vector<EagerRef>> Finish() {
    for (const EagerRef& leaf : leaves_) {
      if (!leaf->extra) continue;
      const auto hooks = leaf->extra->hooks;
      for (auto& [id, hook] : hooks) {
        Tensor changed = hook(Tensor(leaf->flow));
        if (changed) leaf->flow = changed.eager_gradient();
      }
    }
    std::vector<EagerRef> found;
    if (request_.inputs.empty()) {
      for (const EagerRef& leaf : leaves_) {
        SL_RETURN_IF_ERROR(AddToGrad(*leaf, std::move(leaf->flow)));
      }
      return found;
    }
    for (const EagerRef& input : request_.inputs) {
      auto met = met_.find(input.get());
      found.push_back(input->run == this  ? input->flow
                      : met != met_.end() ? met->second
                                          : EagerRef());
    }
    return found;
  }

  Status AddToGrad(EagerValue& leaf, EagerRef gradient) {
    if (leaf.grad) {
      EagerRef old = std::move(leaf.grad);
      SL_ASSIGN_OR_RETURN(
          leaf.grad,
          AddGradients(std::move(old), std::move(gradient), request_.record));
      return OkStatus();
    }
    // What the user sees as grad must not change with something else.
    if (!request_.record) {
      if (gradient->rows) {
        EagerRows& rows = *gradient->rows;
        for (EagerRef* part : {&rows.indices, &rows.values}) {
          if (Owned(**part)) continue;
          SL_ASSIGN_OR_RETURN(Array copy, (*part)->array.Clone());
          *part = MakeRef<EagerValue>(std::move(copy));
        }
      } else if (!Owned(*gradient)) {
        SL_ASSIGN_OR_RETURN(Array copy, gradient->array.Clone());
        gradient = MakeRef<EagerValue>(std::move(copy));
      }
    }
    leaf.grad = std::move(gradient);
    return OkStatus();
  }

  const BackwardRequest& request_;
  GradModeScope mode_;
  std::vector<Ref<TapeNode>> heap_;
  Ref<TapeNode> passing_;  // out of the heap
  std::vector<EagerRef> leaves_;
  std::unordered_map<const EagerValue*, EagerRef> met_;
  std::vector<const EagerValue*> wanted_leaves_;
  std::unordered_map<const TapeNode*, bool> leads_;
};

}  // namespace

Result<std::vector<EagerRef>> RunBackward(const BackwardRequest& request) {
  return Engine(request).Run();
}

std::string WhyNoEagerGrad(const EagerRef& y, const EagerRef& x) {
  if (y == x) return {};
  if (!kFloats.contains(x->array.dtype())) {
    return StrCat(x->Describe(),
                  ": only floating-point values carry gradients");
  }
  if (!x->tracked()) {
    return StrCat(x->Describe(), ", does not require gradients");
  }
  if (!y->producer) {
    return StrCat(y->Describe(),
                  ", is a leaf: nothing it was made of was recorded");
  }
  // All that y was recorded to be made of.
  std::vector<const TapeNode*> open = {y->producer.get()};
  std::unordered_map<const TapeNode*, bool> seen;
  while (!open.empty()) {
    const TapeNode* node = open.back();
    open.pop_back();
    if (std::exchange(seen[node], true)) continue;
    if (x->producer.get() == node) return {};
    for (const TapeEdge& edge : node->edges) {
      if (edge.leaf == x) return {};
      if (edge.node) open.push_back(edge.node.get());
    }
  }
  return StrCat("no recorded call leads from ", x->Describe(), " to ",
                y->Describe(),
                "; a detach(), a NoGrad or an op without a gradient lies "
                "between, or nothing does");
}

}  // namespace sluice
