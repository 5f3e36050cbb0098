#include "sluice/eager/backward.h"

#include <algorithm>
#include <atomic>
#include <unordered_map>

#include "sluice/base/foreign_error.h"
#include "sluice/base/interruption.h"
#include "sluice/base/strings.h"
#include "sluice/base/thread_owned.h"
#include "sluice/eager/backward_run.h"
#include "sluice/eager/call_device.h"
#include "sluice/eager/eager_call.h"
#include "sluice/eager/grad_lock.h"
#include "sluice/eager/grad_mode.h"
#include "sluice/eager/recording.h"
#include "sluice/eager/rows.h"
#include "sluice/eager/tensor.h"
#include "sluice/eager/view_write.h"
#include "sluice/eager/watched_run.h"
#include "sluice/kernels/finite_range.h"
#include "sluice/op/carries_gradient.h"
#include "sluice/op/kernel_times.h"
#include "sluice/op/registry.h"
#include "sluice/tensor/remote_copy.h"

namespace sluice {

namespace {

// What only the engine holds, so that it may be written over or given away.
bool Owned(const EagerValue& v) {
  return !v.traced && v.array.unique() && v.array.contiguous();
}

// Of what is traced, views come up to date and sizes may be unknown.
void BringUpToDate(const EagerRef& value) {
  if (value->traced) {
    Recording::Current()->Now(*value);
  } else if (value->view_of) {
    RefreshView(*value);
  }
}

// Room for the engine's lists, kept from run to run.
struct Lists {
  std::vector<Ref<TapeNode>> heap;
  std::vector<EagerRef> leaves;
};
Lists& SpareLists() { return ThreadOwned<Lists>::Get(); }

// Runs under way on this thread: a rule may run code of the user's that takes
// gradients itself.
thread_local int depth = 0;

// Marks on leaves are those of one run at a time. Others, on other threads, may
// meet the same leaves, and keep lists of their own.
std::atomic<bool> marks_taken{false};

class Engine {
 public:
  explicit Engine(const BackwardRequest& request)
      : request_(request),
        run_(request.roots),
        mode_(request.record),
        inside_(depth++ > 0),
        marks_(!inside_ && !marks_taken.exchange(true)) {
    std::swap(heap_, SpareLists().heap);
    std::swap(leaves_, SpareLists().leaves);
  }
  // Whatever happened, nothing of this run stays behind.
  ~Engine() {
    for (const Ref<TapeNode>& node : heap_) Leave(*node);
    if (passing_) Leave(*passing_);
    for (const EagerRef& leaf : leaves_) {
      if (!marks_) break;
      leaf->run = nullptr;
      leaf->flow = {};
    }
    if (marks_) marks_taken = false;
    --depth;
    heap_.clear();
    leaves_.clear();
    std::swap(heap_, SpareLists().heap);
    std::swap(leaves_, SpareLists().leaves);
  }

  Result<std::vector<EagerRef>> Run() {
    Result<std::vector<EagerRef>> found = RunToLeaves();
    if (!found.ok()) watched_.GiveUp(found.status());
    return found;
  }

 private:
  Result<std::vector<EagerRef>> RunToLeaves() {
    if (request_.inputs.empty() && !inside_ && AnyLeafWatches()) {
      watched_.Begin(request_.roots);
      if (watched_.any() && request_.record) {
        return Unimplemented(
            "backward: create_graph with parameters of a data parallel model, "
            "whose gradients are those of all ranks; wanted it without");
      }
    }
    for (const EagerRef& input : request_.inputs) {
      BringUpToDate(input);
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
      SL_RETURN_IF_ERROR(PassLastCalls());
    }
    for (const Ref<TapeNode>& node : spent_) node->Drop();
    return Finish();
  }

  // Calls that lead to leaves alone come last in the heap, whichever layer they
  // are of: a weight that is transposed first, say. Whoever watches their
  // leaves has them as soon as nothing flows there any more.
  Status PassLastCalls() {
    while (!complete_.empty()) {
      Ref<TapeNode> node = std::move(complete_.back());
      complete_.pop_back();
      auto it = std::find(heap_.begin(), heap_.end(), node);
      if (it == heap_.end()) continue;  // nothing flowed there
      std::swap(*it, heap_.back());
      heap_.pop_back();
      std::make_heap(heap_.begin(), heap_.end(), Earlier);
      passing_ = std::move(node);
      Status status = Pass(*passing_);
      Leave(*passing_);
      SL_RETURN_IF_ERROR(status);
    }
    return OkStatus();
  }

  static bool Earlier(const Ref<TapeNode>& a, const Ref<TapeNode>& b) {
    return a->depth() < b->depth();
  }
  using Flows = SmallVector<EagerRef, 2>;

  void Leave(TapeNode& node) {
    if (inside_) {
      own_.erase(&node);
      return;
    }
    node.flows.clear();
    node.run.store(nullptr, std::memory_order_release);
  }

  // What has flowed into the outputs of a node. A run inside of another keeps
  // that to itself: both may pass the same calls.
  Flows& FlowsOf(TapeNode& node) { return inside_ ? own_[&node] : node.flows; }
  // Whether the node is met for the first time.
  Result<bool> Meet(TapeNode& node) {
    if (inside_) {
      auto [it, fresh] = own_.try_emplace(&node);
      if (fresh) it->second.resize(node.num_outputs());
      return fresh;
    }
    const void* nobody = nullptr;
    if (node.run.load(std::memory_order_relaxed) == this) return false;
    if (!node.run.compare_exchange_strong(nobody, this,
                                          std::memory_order_acquire)) {
      return FailedPrecondition(StrCat(
          "backward: another thread takes gradients through the same call of ",
          node.name(),
          " now; wanted calls of its own on each thread: leaves may be shared, "
          "what is computed from them not"));
    }
    node.flows.resize(node.num_outputs());
    return true;
  }
  Result<EagerRef*> LeafFlow(const EagerRef& leaf) {
    if (!marks_) {
      auto [it, fresh] = own_leaves_.try_emplace(leaf.get());
      if (fresh) leaves_.push_back(leaf);
      return &it->second;
    }
    if (leaf->run != this) {
      leaf->run = this;
      leaves_.push_back(leaf);
    }
    return &leaf->flow;
  }
  bool Met(const EagerRef& leaf) const {
    return marks_ ? leaf->run == this : own_leaves_.count(leaf.get()) > 0;
  }

  static std::string Untracked(const EagerValue& y) {
    return StrCat(
        "backward: ", y.Describe(),
        ", was not made from a tensor that requires gradients; wanted "
        "requires_grad on one, and no_grad not around the calls");
  }

  Status Seed() {
    for (size_t i = 0; i < request_.roots.size(); ++i) {
      const EagerRef& y = request_.roots[i];
      BringUpToDate(y);
      if (!y->tracked() || !kDifferentiable.contains(y->dtype())) {
        return FailedPrecondition(Untracked(*y));
      }
      // Where only the run knows, it looks.
      if (Recording* recording = Recording::Current();
          recording && request_.inputs.empty()) {
        recording->RequireFlow(*y, Untracked(*y));
      }
      EagerRef g =
          i < request_.gradients.size() ? request_.gradients[i] : EagerRef();
      if (g && (!g->shape().CompatibleWith(y->shape()) ||
                g->dtype() != y->dtype())) {
        return InvalidArgument(StrCat("backward: the gradient is ",
                                      g->TypeText(), "; wanted ", y->TypeText(),
                                      " as the value"));
      }
      if (!g) {
        static const OpRecord* ones_like = FindOp("OnesLike");
        SL_ASSIGN_OR_RETURN(EagerRef scalar, CheckScalar(y));
        EagerResults ones;
        SL_RETURN_IF_ERROR(
            EagerCall(*ones_like, {&scalar, 1}, {}, y->line, ones));
        g = ones[0];
      }
      SL_RETURN_IF_ERROR(Flow(EdgeTo(y), std::move(g)));
    }
    return OkStatus();
  }

  // A value that gradients can begin at by themselves: one element. Where only
  // a step knows, it looks.
  static Result<EagerRef> CheckScalar(const EagerRef& y) {
    if (y->dtype() == DType::kC64) {
      return InvalidArgument(StrCat("backward: ", y->Describe(),
                                    ", is complex; wanted a real scalar, or a "
                                    "gradient to begin with"));
    }
    PartialShape shape = y->shape();
    bool one = true;
    for (int i = 0; i < shape.rank(); ++i) one = one && shape.dim(i) == 1;
    if (shape.rank_known() && one) return y;
    if (shape.fully_known()) {
      return InvalidArgument(StrCat(
          "backward: ", y->Describe(), ", has ", shape.ToShape().num_elements(),
          " elements; wanted a scalar, or a gradient to begin with"));
    }
    if (!shape.rank_known()) return y;
    PartialShape ones = shape;
    for (int i = 0; i < ones.rank(); ++i) ones.set_dim(i, 1);
    static const OpRecord* ensure = FindOp("EnsureShape");
    NoGrad off;
    EagerResults checked;
    SL_RETURN_IF_ERROR(
        EagerCall(*ensure, {&y, 1}, {{"shape", ones}}, y->line, checked));
    return checked[0];
  }

  Status Flow(const TapeEdge& edge, EagerRef gradient) {
    if (!Wanted(edge)) return OkStatus();
    EagerRef* slot = nullptr;
    if (edge.node) {
      SL_ASSIGN_OR_RETURN(bool fresh, Meet(*edge.node));
      if (fresh) {
        heap_.push_back(edge.node);
        std::push_heap(heap_.begin(), heap_.end(), Earlier);
      }
      slot = &FlowsOf(*edge.node)[static_cast<size_t>(edge.output)];
    } else {
      SL_ASSIGN_OR_RETURN(slot, LeafFlow(edge.leaf));
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
    Flows& flows = FlowsOf(node);
    // A hook may take itself away, or add another.
    const std::vector<TapeNode::Hook> hooks = node.hooks;
    for (const TapeNode::Hook& hook : hooks) {
      EagerRef& g = flows[static_cast<size_t>(hook.output)];
      if (!g) continue;
      if (hook.place) {
        *hook.place = g;
        continue;
      }
      Tensor changed = hook.user(Tensor(g));
      if (changed.defined()) g = GradientRef(changed);
    }
    // Gradients of values that are asked for end here; they may flow on too.
    for (const EagerRef& input : request_.inputs) {
      if (input->producer.get() == &node) {
        met_[input.get()] = flows[static_cast<size_t>(input->output)];
      }
    }
    if (request_.stop_at_inputs && !FlowsBeyondInputs(node)) return OkStatus();
    if (!LeadsOn(node)) return OkStatus();  // it was asked for itself
    // Rules know dense gradients alone.
    for (EagerRef& g : flows) {
      if (!g || !g->rows) continue;
      SL_ASSIGN_OR_RETURN(g, DenseGradient(g));
    }
    SmallVector<EagerRef, 4> dx;
    dx.resize(node.edges.size());
    Status status;
    try {
      SourceLine line = node.line();
      KernelsOfLine kernels(line);
      status = node.Backward(flows, request_.record, dx);
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
    flows.clear();
    for (size_t i = 0; i < dx.size(); ++i) {
      if (!dx[i] || !node.edges[i]) continue;
      SL_RETURN_IF_ERROR(Flow(node.edges[i], std::move(dx[i])));
    }
    if (watched_.any()) SL_RETURN_IF_ERROR(TellWatches(node));
    if (!request_.retain && !request_.record) {
      node.UsesUp(spent_);
      node.Drop();
    }
    return OkStatus();
  }

  // Leaves that no call is left to lead to are complete now.
  Status TellWatches(const TapeNode& node) {
    for (const TapeEdge& edge : node.edges) {
      if (edge.node && watched_.Passed(edge.node.get())) {
        complete_.push_back(edge.node);
      }
      if (!edge.leaf || !watched_.Passed(edge.leaf.get())) continue;
      if (!Met(edge.leaf)) continue;  // nothing flowed there
      SL_RETURN_IF_ERROR(TellWatch(edge.leaf));
    }
    return OkStatus();
  }
  Status TellWatch(const EagerRef& leaf) {
    SL_RETURN_IF_ERROR(RunHooks(leaf));
    SL_ASSIGN_OR_RETURN(EagerRef * flow, LeafFlow(leaf));
    return watched_.Ready(leaf.get(), Tensor(*flow));
  }
  Status RunHooks(const EagerRef& leaf) {
    if (!leaf->extra) return OkStatus();
    const auto hooks = leaf->extra->hooks;
    for (auto& [id, hook] : hooks) {
      SL_ASSIGN_OR_RETURN(EagerRef * flow, LeafFlow(leaf));
      Tensor changed = hook(Tensor(*flow));
      if (changed.defined()) *flow = GradientRef(changed);
    }
    return OkStatus();
  }

  // Takes away what has flowed into inputs; whether something is left.
  bool FlowsBeyondInputs(TapeNode& node) {
    for (const EagerRef& input : request_.inputs) {
      if (input->producer.get() != &node) continue;
      FlowsOf(node)[static_cast<size_t>(input->output)] = {};
    }
    return std::any_of(FlowsOf(node).begin(), FlowsOf(node).end(),
                       [](const EagerRef& g) { return static_cast<bool>(g); });
  }

  // For sl::NanTrap: what a call passes on, whose own ops are not looked at.
  static Status CheckFiniteGradients(const TapeNode& node,
                                     std::span<const EagerRef> dx) {
    for (size_t i = 0; i < dx.size(); ++i) {
      if (!dx[i] || dx[i]->traced) continue;
      const EagerValue& g = dx[i]->rows ? *dx[i]->rows->values : *dx[i];
      SL_ASSIGN_OR_RETURN(Array here, OnHost(g.array));
      std::string bad = DescribeBad(here);
      if (bad.empty()) continue;
      return InvalidArgument(StrCat(
          "[", node.name(), "] the gradient of its input ", i, ": ", bad));
    }
    return OkStatus();
  }

  // Whether what was computed before a function that is being recorded leads to
  // what was asked for: gradients would flow there, and cannot.
  bool OutsideLeads(const TapeNode& node) const {
    Recording* recording = node.outside() ? Recording::Current() : nullptr;
    if (!recording) return false;
    for (const EagerRef& input : request_.inputs) {
      if (!input->traced) continue;
      if (input->producer.get() == &node) continue;  // it is the one
      if (recording->LeadsOutside(node, *input)) return true;
    }
    return false;
  }

  // Whether a gradient that flows along this edge reaches what was asked for.
  // Other values do not take part in the run: their hooks are not called.
  bool Wanted(const TapeEdge& edge) {
    if (request_.inputs.empty()) return true;
    if (!edge.node) {
      return std::find(wanted_leaves_.begin(), wanted_leaves_.end(),
                       edge.leaf.get()) != wanted_leaves_.end();
    }
    for (const EagerRef& input : request_.inputs) {
      if (input->producer == edge.node && input->output == edge.output) {
        return true;
      }
    }
    return LeadsOn(*edge.node);
  }

  // Whether a path leads from this node to something that was asked for, which
  // everything is where there are no inputs.
  bool LeadsOn(const TapeNode& start) {
    if (request_.inputs.empty()) return true;
    std::vector<const TapeNode*> open = {&start};
    while (!open.empty()) {
      const TapeNode* node = open.back();
      if (leads_.count(node)) {
        open.pop_back();
        continue;
      }
      bool all_known = true, leads = OutsideLeads(*node);
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
      if (watched_.Taken(leaf.get())) continue;
      SL_RETURN_IF_ERROR(watched_.Wanted(leaf.get()) ? TellWatch(leaf)
                                                     : RunHooks(leaf));
    }
    SL_RETURN_IF_ERROR(watched_.Finish());
    std::vector<EagerRef> found;
    if (request_.inputs.empty()) {
      std::vector<LeafGradient> traced;
      for (const EagerRef& leaf : leaves_) {
        if (watched_.Taken(leaf.get())) continue;
        SL_ASSIGN_OR_RETURN(EagerRef * flow, LeafFlow(leaf));
        if (leaf->traced) {
          traced.push_back({leaf, std::move(*flow)});
        } else {
          SL_RETURN_IF_ERROR(AddToGrad(*leaf, std::move(*flow)));
        }
      }
      if (Recording* recording = Recording::Current()) {
        SL_RETURN_IF_ERROR(
            recording->AddToGrads(request_.roots, traced, request_.record));
      }
      return found;
    }
    for (const EagerRef& input : request_.inputs) {
      auto met = met_.find(input.get());
      EagerRef* flow = nullptr;
      if (Met(input)) {
        SL_ASSIGN_OR_RETURN(flow, LeafFlow(input));
      }
      found.push_back(flow                ? *flow
                      : met != met_.end() ? met->second
                                          : EagerRef());
    }
    return found;
  }

  Status AddToGrad(EagerValue& leaf, EagerRef gradient) {
    // What the sum does not take over ends after the lock: memory of others may
    // need Python's to be given back, which who waits for this one may hold.
    EagerRef ends[2];
    // A gradient is where what it belongs to is, wherever it was computed.
    if (!request_.record && !gradient->rows && gradient->array && leaf.array &&
        gradient->array.memory() != leaf.array.memory()) {
      SL_ASSIGN_OR_RETURN(Array there,
                          RemoteCopy::To(gradient->array, leaf.array.memory()));
      gradient = MakeRef<EagerValue>(std::move(there));
    }
    MutexLock lock(front_internal::GradMutex(leaf));
    if (leaf.grad) {
      bool over = Owned(*leaf.grad);
      if (!over) ends[0] = leaf.grad;
      if (over || !Owned(*gradient)) ends[1] = gradient;
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
  BackwardRun run_;
  GradModeScope mode_;
  const bool inside_;  // of another run, on this thread
  const bool marks_;   // leaves are marked; else they are in own_leaves_
  std::unordered_map<TapeNode*, Flows> own_;
  std::unordered_map<const EagerValue*, EagerRef> own_leaves_;
  std::vector<Ref<TapeNode>> heap_;
  std::vector<Ref<TapeNode>> spent_;     // beside what was passed
  Ref<TapeNode> passing_;                // out of the heap
  std::vector<Ref<TapeNode>> complete_;  // to be passed before their turn
  std::vector<EagerRef> leaves_;
  std::unordered_map<const EagerValue*, EagerRef> met_;
  std::vector<const EagerValue*> wanted_leaves_;
  std::unordered_map<const TapeNode*, bool> leads_;
  WatchedRun watched_;
};

}  // namespace

Result<std::vector<EagerRef>> RunBackward(const BackwardRequest& request) {
  return Engine(request).Run();
}

}  // namespace sluice
