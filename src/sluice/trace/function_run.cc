#include "sluice/trace/function_run.h"

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/eager/call_device.h"
#include "sluice/eager/eager_call.h"
#include "sluice/eager/grad_mode.h"
#include "sluice/eager/list_call.h"
#include "sluice/eager/manual_seed.h"
#include "sluice/eager/random_calls.h"
#include "sluice/eager/rows.h"
#include "sluice/eager/same_memory.h"
#include "sluice/eager/shared_outside.h"
#include "sluice/eager/view_write.h"
#include "sluice/launch/copy_between.h"
#include "sluice/op/carries_gradient.h"
#include "sluice/tensor/remote_copy.h"
#include "sluice/tensor/same_elements.h"
#include "sluice/trace/random_place.h"

namespace sluice::front_internal {

namespace {

// The same elements with a reference count of their own: the step is the only
// holder of the array and may therefore overwrite it.
Array GivenUp(const Array& array) {
  // Kernels of a simulated device write elsewhere, and their results are copied
  // back.
  if (array.memory() && array.memory()->kind() != DeviceKind::kCuda) {
    return array;
  }
  return SameElements(
      array, [](void* kept) { delete static_cast<Array*>(kept); },
      new Array(array));
}

}  // namespace

TraceRun::TraceRun(std::shared_ptr<Trace> trace,
                   const std::vector<Tensor>& args, const std::string& name,
                   std::source_location where, bool brief)
    : kept_(std::move(trace)),
      trace_(*kept_),
      args_(args),
      name_(name),
      line_(SourceLine::From(where)) {
  options_.brief = brief;
}

BodyResult TraceRun::Run(std::unique_lock<std::mutex>* turn) {
  Feed();
  bool alone = turn && trace_.waits;
  if (alone) turn->unlock();
  RunProgram();
  if (alone) turn->lock();
  trace_.calls.fetch_add(1, std::memory_order_relaxed);
  LeavePlace();
  values_.resize(results_.size());
  MakeNode();
  // Views of memory that is about to be overwritten must not change with it.
  for (const Trace::Returned& how : trace_.returned) {
    if (how.source < 0) ValueOf(how.fetch);
  }
  Land();
  trace_.undo.clear();
  std::vector<Tensor> made;
  made.reserve(trace_.returned.size());
  alone_.resize(trace_.num_alone);
  for (const Trace::Returned& how : trace_.returned) {
    made.push_back(Result(how));
  }
  Watch();
  KeepLooks(made);
  // The trace keeps the note alive, so no reference count of its own changes.
  const void* note = trace_.note.get();
  return {std::move(made), std::shared_ptr<const void>(std::move(kept_), note)};
}

void TraceRun::Feed() {
  for (size_t i = 0; i < trace_.sources.size(); ++i) {
    feeds_.push_back(trace_.ArrayAt(i, args_));
  }
  if (trace_.place >= 0) {
    place_ =
        trace_.place_fetch < 0 ? TakeRandomCalls(trace_.draws) : random_state();
    feeds_[static_cast<size_t>(trace_.place)] = PlaceArray(place_);
  }
  // A recorded call feeds its gradient the same arrays: they must not change.
  if (trace_.num_outputs > 0) {
    fed_.assign(feeds_.begin(), feeds_.end());
  } else if (!trace_.waits && !trace_.tasks) {
    GiveUp();
  }
}

void TraceRun::GiveUp() {
  for (size_t i = 0; i < feeds_.size(); ++i) {
    if (!trace_.sources[i].overwritten) continue;
    Array& own = feeds_[i];
    bool alone = own.contiguous();
    for (const Array& other : feeds_) {
      alone = alone && (&other == &own || !SameMemory(own, other));
    }
    if (alone) own = GivenUp(own);
    given_up_ = given_up_ || alone;
  }
}

// Copies values that the host reads from the device that computed them.
void TraceRun::BringTold() {
  auto bring = [&](size_t i) {
    results_[i] = ValueOrThrow(OnHost(results_[i]));
  };
  for (size_t i = trace_.fetched.size(); i < results_.size(); ++i) bring(i);
  if (trace_.place_fetch >= 0) bring(static_cast<size_t>(trace_.place_fetch));
}

// For a failed run: mismatched sizes are found before it begins.
bool TraceRun::HasBegun() const {
  for (const Array& feed : feeds_) {
    if (!feed) return true;  // it was taken
  }
  return trace_.program->PlanFor(feeds_).ok();
}

void TraceRun::RunProgram() {
  // Separate draws have a position in the process's stream too, so that
  // random_state() saves and restores them.
  if (trace_.random) options_.random = NextRandomCall();
  // Tasks cannot use the memory of tensors here.
  if (!trace_.tasks) {
    for (size_t i : trace_.dropped) trace_.TensorAt(i, args_)->grad = {};
  }
  Status status = trace_.RunStep(feeds_, options_, &results_);
  if (status.ok()) return BringTold();
  // For an error of the program, not for a run cancelled from outside. Code
  // that names tasks cannot run eagerly instead.
  bool untouched = !trace_.tasks && !trace_.random && trace_.dropped.empty() &&
                   (status.code() == Code::kInvalidArgument ||
                    status.code() == Code::kOutOfRange ||
                    status.code() == Code::kFailedPrecondition);
  // A run that stopped half-way may have written. Tasks write to copies.
  const bool begun = given_up_ && HasBegun();
  for (size_t i = 0; i < trace_.sources.size(); ++i) {
    if (!begun || !trace_.sources[i].overwritten) continue;
    untouched = false;
    WriteLog& log = trace_.TensorAt(i, args_)->writes();
    ++log.count;
    log.last = line_;
  }
  untouched = untouched && !trace_.acts;
  // The code that runs instead draws the same numbers.
  if (untouched && trace_.place >= 0) set_random_state(place_);
  throw RunFailed(std::move(status), untouched);
}

// The number of draws is known only after the run.
void TraceRun::LeavePlace() {
  if (trace_.place_fetch < 0) return;
  RandomState now = StateOf(results_[static_cast<size_t>(trace_.place_fetch)]);
  if (now.seed == place_.seed) {
    TakeRandomCalls(now.calls - place_.calls);
  } else {
    set_random_state(now);
  }
}

// The destinations of gradients of the feeds.
std::vector<TapeEdge> TraceRun::Edges() const {
  std::vector<TapeEdge> edges(trace_.sources.size());
  for (size_t i = 0; i < edges.size(); ++i) {
    if (trace_.sources[i].requires_grad && trace_.sources[i].grad_of < 0 &&
        kDifferentiable.contains(trace_.feeds[i].dtype())) {
      edges[i] = EdgeTo(*trace_.TensorAt(i, args_));
    }
  }
  // Tensors that the code itself makes require gradients; set below.
  for (const auto& [i, wanted] : trace_.flags) {
    if (wanted) edges[i] = {{}, 0, trace_.TensorAt(i, args_)};
  }
  return edges;
}

// Puts the results that gradients flow through on the tape.
void TraceRun::MakeNode() {
  if (fed_.empty()) return;
  std::vector<Value> ys;
  for (size_t i = 0; i < trace_.outputs.size(); ++i) {
    if (trace_.outputs[i] < 0) continue;
    ys.push_back(trace_.fetched[i].value);
  }
  node_ = MakeRef<FunctionTapeNode>(line_, name_, kept_, trace_.feeds,
                                    std::move(fed_), std::move(ys));
  node_->run_options = options_;
  node_->run_options.brief = false;
  for (TapeEdge& edge : Edges()) node_->edges.push_back(std::move(edge));
  node_->SetDepth();
  if (!trace_.made_apart.empty()) node_->made_apart = &trace_.made_apart;
}

const Array& TraceRun::Told(int64_t i) const {
  return results_[trace_.fetched.size() + static_cast<size_t>(i)];
}

bool TraceRun::Flows(size_t fetch) const {
  const Trace::Fetched& f = trace_.fetched[fetch];
  return f.flows && (f.when < 0 || *Told(f.when).data<bool>());
}

// The captured tensor that a fetch is in this run, if it is one on some path.
int64_t TraceRun::Source(size_t fetch) const {
  int64_t which = trace_.fetched[fetch].which;
  return which < 0 ? WhichEntry::kNone : *Told(which).data<int64_t>();
}

const EagerRef& TraceRun::ValueOf(size_t fetch) {
  EagerRef& value = values_[fetch];
  if (value) return value;
  if (int64_t source = Source(fetch); source != WhichEntry::kNone) {
    value = trace_.TensorAt(static_cast<size_t>(source), args_);
    return value;
  }
  // A result that is also a tensor outside, or a view of one, must not change
  // with it.
  Array result = std::move(results_[fetch]);
  if (!result.unique()) result = ValueOrThrow(result.Clone());
  if (result.dtype() == DType::kList) {
    std::vector<Array> around;
    for (size_t i = 0; i < trace_.sources.size(); ++i) {
      around.push_back(trace_.ArrayAt(i, args_));
    }
    result = ApartFrom(std::move(result), around);
  }
  value = MakeRef<EagerValue>(std::move(result));
  value->line = line_;
  if (!Flows(fetch)) return value;
  if (trace_.fetched[fetch].leaf) {
    value->requires_grad = true;
    return value;
  }
  if (trace_.outputs[fetch] >= 0) {
    value->producer = node_;
    value->output = trace_.outputs[fetch];
  } else {
    value->producer = MakeRef<OverTapeNode>(line_, name_, Edges());
  }
  return value;
}

namespace {

// Views of the old memory must show the new elements.
bool Watched(const EagerValue& target) {
  return target.view || (target.log && !target.log->unique());
}

}  // namespace

// Memory that was handed over may belong to another result by now, and to the
// tensor that was made from it.
void TraceRun::LeaveMemory(const EagerValue& target) {
  auto leave = [&](Array& array) {
    if (array && SameMemory(array, target.array)) {
      array = ValueOrThrow(array.Clone());
    }
  };
  for (Array& result : results_) leave(result);
  for (size_t i = 0; i < trace_.fetched.size(); ++i) {
    if (values_[i] && Source(i) == WhichEntry::kNone) leave(values_[i]->array);
  }
  for (const Trace::Landing& landing : trace_.landings) {
    EagerValue& other = *trace_.TensorAt(landing.source, args_);
    if (!landing.grad && &other != &target) leave(other.array);
  }
}

void TraceRun::Write(EagerValue& target, Array array, size_t fetch) {
  bool watched = Watched(target);
  // A tensor stays on its device, wherever its new elements were computed.
  array = ValueOrThrow(RemoteCopy::To(array, target.array.memory()));
  if (array.address() == target.array.address()) {
    // Written in place.
  } else if (watched && target.array.shape() == array.shape()) {
    LeaveMemory(target);
    ThrowIfError(CopyElements(array, target.array));
  } else {
    if (!array.unique()) array = ValueOrThrow(array.Clone());
    target.array = std::move(array);
  }
  WriteLog& log = target.writes();
  ++log.count;
  log.last = line_;
  TakeHistory(target, fetch);
}

void TraceRun::TakeHistory(EagerValue& value, size_t fetch) {
  if (!Flows(fetch) || trace_.fetched[fetch].leaf) return;
  if (trace_.outputs[fetch] >= 0) {
    value.producer = node_;
    value.output = trace_.outputs[fetch];
  } else {
    value.producer = MakeRef<OverTapeNode>(line_, name_, Edges());
    value.output = 0;
  }
  ++value.writes().histories;
  if (value.view_of) ChangeHistory(value, line_);
}

// Views of the old memory keep it.
void TraceRun::Move(EagerValue& target) {
  target.array = ValueOrThrow(target.array.Clone());
  target.SetLog(MakeRef<WriteLog>());
  target.view_of = nullptr;
  target.view = false;
  ++target.moved;
}

void TraceRun::Land() {
  // Gradients last: a write of the code to an existing gradient must go there,
  // not to the tensor that replaces it.
  for (const Trace::Landing& landing : trace_.landings) {
    if (landing.grad) continue;
    EagerValue& target = *trace_.TensorAt(landing.source, args_);
    // The gradient needs the elements that were fed.
    if (node_ && Watched(target)) node_->KeepApart(landing.source);
    if (landing.moved && Watched(target)) Move(target);
    if (values_[landing.fetch]) {
      Write(target, values_[landing.fetch]->array, landing.fetch);
    } else {
      Write(target, std::move(results_[landing.fetch]), landing.fetch);
    }
  }
  for (const Trace::Landing& landing : trace_.landings) {
    if (!landing.grad) continue;
    EagerValue& target = *trace_.TensorAt(landing.source, args_);
    if (landing.when >= 0 && !*Told(landing.when).data<bool>()) {
      target.grad = {};
      continue;
    }
    target.grad =
        landing.rows
            ? MakeRows(ValueOf(landing.fetch), ValueOf(landing.fetch + 1),
                       target.array.dtype(), target.array.shape())
            : ValueOf(landing.fetch);
  }
  for (const Trace::Look& look : trace_.looks) {
    const EagerRef& tensor =
        look.argument < 0
            ? look.tensor
            : trace_.TensorAt(static_cast<size_t>(look.argument), args_);
    tensor->requires_grad = look.requires_grad;
    if (look.history < 0) continue;
    auto fetch = static_cast<size_t>(look.history);
    TakeHistory(*tensor, fetch);
    values_[fetch] = tensor;
  }
  for (size_t i : trace_.cleared) trace_.TensorAt(i, args_)->grad = {};
  for (auto& [i, wanted] : trace_.flags) {
    trace_.TensorAt(i, args_)->requires_grad = wanted;
  }
}

// Notes the state of everything that the gradient will read.
void TraceRun::Watch() {
  if (!node_) return;
  for (size_t i = 0; i < trace_.sources.size(); ++i) {
    if (static_cast<int64_t>(i) == trace_.place) continue;
    if (trace_.sources[i].part != Capture::Entry::Part::kWhole) continue;
    const EagerRef& tensor = trace_.TensorAt(i, args_);
    if (!tensor || tensor->rows) continue;
    if (tensor->array.address() != node_->array(i).address()) continue;
    if (SharedOutside::Is(tensor->log.get())) {
      node_->KeepApart(i);  // writes there are not reported
    } else {
      node_->fed.push_back({i, tensor, tensor->writes().count});
    }
  }
  for (const Trace::Kept& k : trace_.kept) {
    int output = trace_.outputs[k.fetch];
    if (output < 0) continue;
    const EagerRef& value =
        k.source >= 0 ? trace_.TensorAt(static_cast<size_t>(k.source), args_)
                      : values_[k.returned];
    if (!value) continue;
    WriteLog& log = value->writes();
    node_->kept.push_back({static_cast<size_t>(output), &k,
                           Ref<WriteLog>::Share(&log), log.count});
  }
  for (size_t i = 0; i < trace_.outputs.size(); ++i) {
    if (trace_.outputs[i] >= 0)
      node_->overwritten.push_back(&trace_.overwritten[i]);
  }
}

void TraceRun::KeepLooks(const std::vector<Tensor>& made) {
  if (!node_) return;
  for (const Trace::Through& t : trace_.through) {
    int output = trace_.outputs[t.fetch];
    const Ref<TapeNode>& look = made[t.returned].eager()->producer;
    if (output < 0 || !look) continue;
    // A view of a result of this call keeps the call alive, so the call must
    // not keep the view.
    bool own = false;
    for (const TapeNode* at = look.get(); at && !own;) {
      own = at == node_.get();
      at = at->edges.empty() ? nullptr : at->edges[0].node.get();
    }
    if (!own) node_->through.push_back({static_cast<size_t>(output), look});
  }
}

// Whether a run-time value tells if gradients flow through the base of a
// returned view: the base was made by the function, or is a written tensor
// outside.
bool TraceRun::ToldWhether(const Trace::Returned& how) const {
  auto told = [&](size_t fetch) {
    const Trace::Fetched& f = trace_.fetched[fetch];
    return f.when >= 0 || f.which >= 0;
  };
  if (how.source < 0) return told(how.fetch);
  for (const Trace::Landing& landing : trace_.landings) {
    if (landing.grad || landing.source != static_cast<size_t>(how.source)) {
      continue;
    }
    if (told(landing.fetch)) return true;
  }
  return false;
}

Tensor TraceRun::Result(const Trace::Returned& how) {
  if (how.source < 0 && how.steps.empty() && !how.requires_grad &&
      how.grad < 0) {
    return Tensor(ValueOf(how.fetch));
  }
  EagerRef value = how.source >= 0
                       ? trace_.TensorAt(static_cast<size_t>(how.source), args_)
                       : ValueOf(how.fetch);
  GradModeScope mode(how.records);
  // The code may have changed requires_grad before or after taking the view.
  EagerRef base = value;
  const bool flag = base->requires_grad;
  // If known only at run time, gradients flow where they flow through the base.
  if (!how.steps.empty() && !base->producer) {
    base->requires_grad = how.flows && (flag || !ToldWhether(how));
  }
  // The same for leaves that the code made of detached tensors in between.
  std::vector<EagerRef> leaves;
  auto note_leaf = [&](const Trace::Step& step) {
    if (!step.leaf) return;
    value->requires_grad = how.flows;
    leaves.push_back(value);
  };
  for (const Trace::Step& step : how.steps) {
    const bool alone = step.alone >= 0;
    auto number = static_cast<size_t>(step.alone);
    if (alone && alone_[number]) {
      value = alone_[number];
      note_leaf(step);
      continue;
    }
    std::vector<EagerRef> inputs{value};
    for (size_t other : step.others) inputs.push_back(ValueOf(other));
    EagerResults made;
    Status status = EagerCall(*step.how.op, std::span<const EagerRef>(inputs),
                              step.how.attrs, line_, made);
    if (!status.ok()) {
      throw Error(status.WithLine(StrCat("at ", how.line)));
    }
    value = made[0];
    if (!alone) continue;
    alone_[number] = value;
    note_leaf(step);
    if (step.history < 0) continue;
    auto fetch = static_cast<size_t>(step.history);
    TakeHistory(*value, fetch);
    if (!values_[fetch]) values_[fetch] = value;
  }
  if (!how.steps.empty() && !base->producer) base->requires_grad = flag;
  for (const EagerRef& leaf : leaves) leaf->requires_grad = true;
  if (how.requires_grad) value->requires_grad = true;
  if (how.grad >= 0) {
    EagerRef grad = ValueOf(static_cast<size_t>(how.grad));
    if (value->producer) {
      value->grad_place = std::make_shared<EagerRef>(std::move(grad));
      value->extras().retains_grad = true;
    } else {
      value->grad = std::move(grad);
    }
  }
  return Tensor(std::move(value));
}

}  // namespace sluice::front_internal
