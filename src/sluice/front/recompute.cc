#include "sluice/front/recompute.h"

#include <unordered_set>

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/front/call.h"
#include "sluice/front/capture.h"
#include "sluice/front/grad_mode.h"
#include "sluice/front/own_points.h"
#include "sluice/front/random_calls.h"
#include "sluice/front/scope.h"
#include "sluice/front/vmap_axes.h"
#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"
#include "sluice/graph/traverse.h"

namespace sluice {

namespace {

RecomputeRegion*& CurrentRegion() {
  thread_local RecomputeRegion* current = nullptr;
  return current;
}

}  // namespace

class RecomputeRegion::Recording {
 public:
  explicit Recording(RecomputeRegion* region)
      : outer_(std::exchange(CurrentRegion(), region)) {}
  ~Recording() { CurrentRegion() = outer_; }

 private:
  RecomputeRegion* outer_;
};

RecomputeRegion* RecomputeRegion::Current() { return CurrentRegion(); }

RecomputeRegion::Apart::Apart()
    : outer_(std::exchange(CurrentRegion(), nullptr)) {}
RecomputeRegion::Apart::~Apart() { CurrentRegion() = outer_; }

RecomputeRegion::RecomputeRegion(TensorFn f, std::vector<Tensor> inputs)
    : f_(std::move(f)),
      inputs_(std::move(inputs)),
      random_calls_(RandomCalls()) {}

std::vector<Tensor> RecomputeRegion::Run() {
  Recording recording(this);
  return f_(inputs_);
}

bool RecomputeRegion::Enter(OpTapeNode& node) {
  if (again_) {
    repetitions_.push_back(Ref<OpTapeNode>::Share(&node));
    return false;
  }
  node.SetRegion(Ref<RecomputeRegion>::Share(this), calls_.size());
  calls_.push_back(&node);
  return true;
}

Status RecomputeRegion::Recompute() {
  if (done_) return OkStatus();
  again_ = true;
  // However a run that fails ends, the next begins as this one did.
  struct Ended {
    RecomputeRegion& region;
    ~Ended() {
      region.again_ = false;
      region.repetitions_.clear();
    }
  } ended{*this};
  {
    Recording recording(this);
    EnableGrad on;
    int64_t now = SetRandomCalls(random_calls_);
    std::vector<Tensor> again;
    for (const Tensor& x : inputs_) {
      again.push_back(x.requires_grad() ? x.detach().requires_grad_() : x);
    }
    Status status;
    try {
      f_(again);
    } catch (const Error& e) {
      status = Status(e.code(), e.what());
    } catch (...) {
      SetRandomCalls(now);
      throw;
    }
    SetRandomCalls(now);
    SL_RETURN_IF_ERROR(status);
  }
  if (repetitions_.size() != calls_.size()) {
    return FailedPrecondition(
        StrCat("checkpoint: the function made ", repetitions_.size(),
               " recorded calls when it was run again and ", calls_.size(),
               " before; wanted one that does the same every time"));
  }
  for (size_t i = 0; i < calls_.size(); ++i) {
    if (calls_[i]) calls_[i]->TakeValues(*repetitions_[i]);
  }
  done_ = true;
  // Never run a third time: whatever the function holds may go.
  inputs_.clear();
  f_ = nullptr;
  return OkStatus();
}

namespace {

// What nodes from number `first` on, which the ys are made of, take from others
// before them: tensors the function uses beside its inputs.
std::vector<Tensor> UsedBeside(Graph& graph, int first,
                               const std::vector<Tensor>& ys,
                               const std::vector<Tensor>& inputs) {
  std::vector<Tensor> found;
  std::unordered_set<Value, ValueHash> known;
  for (const Tensor& x : inputs) known.insert(x.value());
  std::unordered_set<const Node*> seen;
  std::vector<Value> open;
  for (const Tensor& y : ys) open.push_back(y.value());
  while (!open.empty()) {
    Value v = open.back();
    open.pop_back();
    if (v.node->is_args() || v.node->id() < first) {
      if (kFloats.contains(v.dtype()) && known.insert(v).second) {
        found.push_back(Tensor(graph, v));
      }
      continue;
    }
    if (!seen.insert(v.node).second) continue;
    // What code of branches and loops reads around it is used, too.
    for (const Value& in : InputsWithCaptures(*v.node)) open.push_back(in);
  }
  return found;
}

// In a graph: the gradient builds the function's nodes once more, behind what
// flows into it, so that the first ones need not be kept until then.
std::vector<Tensor> GraphCheckpoint(const TensorFn& f,
                                    const std::vector<Tensor>& given) {
  auto where = std::source_location::current();
  std::vector<Tensor> inputs;
  for (const Tensor& x : given) {
    Operand operands[] = {x};
    inputs.push_back(
        front_internal::CallOne("Identity", operands, {}, {}, where));
  }
  Graph& graph = inputs.empty() ? current_graph() : inputs[0].graph();
  int first = graph.id_limit();
  Capture* capture = Capture::Open();
  const int lanes = capture ? capture->lanes_recorded : 0;
  Value place = capture ? capture->PlaceNow() : Value();
  std::vector<Tensor> ys = f(inputs);
  // Code for lanes is not run again here: its values are kept.
  if (capture && capture->lanes_recorded != lanes) return ys;
  size_t count = inputs.size();
  // What draws is told, when it is run again, where it drew.
  bool draws = place && capture->PlaceNow() != place;
  for (const Tensor& more : UsedBeside(graph, first, ys, inputs)) {
    inputs.push_back(more);
  }
  if (draws) inputs.push_back(Tensor(graph, place));
  auto backward = [f, count, draws, where](const std::vector<Tensor>& xs,
                                           const std::vector<Tensor>&,
                                           const std::vector<Tensor>& dys) {
    EnableGrad on;
    Capture::AllFlow all(Capture::Open());
    Capture::DrawsFrom again(Capture::Open(),
                             draws ? xs.back().value() : Value());
    std::vector<Tensor> later, targets;
    for (size_t i = 0; i < xs.size() - (draws ? 1 : 0); ++i) {
      if (i >= count) {
        targets.push_back(xs[i]);
        continue;
      }
      std::vector<Operand> operands = {xs[i]};
      operands.insert(operands.end(), dys.begin(), dys.end());
      later.push_back(
          front_internal::CallOne("WaitFor", operands, {}, {}, where));
    }
    targets.insert(targets.begin(), later.begin(), later.end());
    std::vector<Tensor> ys = f(later);
    std::vector<Tensor> found =
        front_internal::GraphGradientsAt(ys, targets, dys, where);
    if (draws) found.emplace_back();
    return found;
  };
  return custom_gradient([&](const std::vector<Tensor>&) { return ys; },
                         backward, inputs);
}

}  // namespace

TensorFn checkpoint(TensorFn f) {
  return [f = std::move(f)](const std::vector<Tensor>& inputs) {
    bool symbolic = front_internal::Building::Current().graph != nullptr;
    for (const Tensor& x : inputs) symbolic = symbolic || x.symbolic();
    // A gradient taken around a vmap could not run the code of one lane again.
    if (symbolic && front_internal::InsideVmap()) return f(inputs);
    if (symbolic) return GraphCheckpoint(f, inputs);
    if (!front_internal::EagerMode::Current().grad) return f(inputs);
    auto region = MakeRef<RecomputeRegion>(f, inputs);
    return region->Run();
  };
}

}  // namespace sluice
