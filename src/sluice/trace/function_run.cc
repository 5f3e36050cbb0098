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

// The same elements under a count of their own: the step sees an array that is
// nobody else's and may write over it, which is the point.
Array GivenUp(const Array& array) {
  // Kernels of a simulated device write elsewhere, and what they made is copied
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
  // What looks into memory that is about to be written must not change with it.
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
  // Kept by what keeps it: no count of its own to change.
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
  // What is recorded feeds its gradient the same: it must stay as it is.
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

// What this side reads comes here from the device it was computed on.
void TraceRun::BringTold() {
  auto bring = [&](size_t i) {
    results_[i] = ValueOrThrow(OnHost(results_[i]));
  };
  for (size_t i = trace_.fetched.size(); i < results_.size(); ++i) bring(i);
  if (trace_.place_fetch >= 0) bring(static_cast<size_t>(trace_.place_fetch));
}

// Of a run that has failed: sizes that do not fit are found before it begins.
bool TraceRun::HasBegun() const {
  for (const Array& feed : feeds_) {
    if (!feed) return true;  // it was taken
  }
  return trace_.program->PlanFor(feeds_).ok();
}

void TraceRun::RunProgram() {
  // What draws apart has a place in the process's stream, too: what is saved
  // and restored with random_state() holds for it.
  if (trace_.random) options_.random = NextRandomCall();
  // Their memory is no use to tasks.
  if (!trace_.tasks) {
    for (size_t i : trace_.dropped) trace_.TensorAt(i, args_)->grad = {};
  }
  Status status = trace_.RunStep(feeds_, options_, &results_);
  if (status.ok()) return BringTold();
  // Of an error of the program, not of a run that was ended from outside.
  // Code that names tasks cannot be run by itself instead.
  bool untouched = !trace_.tasks && !trace_.random && trace_.dropped.empty() &&
                   (status.code() == Code::kInvalidArgument ||
                    status.code() == Code::kOutOfRange ||
                    status.code() == Code::kFailedPrecondition);
  // What stopped half way may have written. Tasks write to copies.
  const bool begun = given_up_ && HasBegun();
  for (size_t i = 0; i < trace_.sources.size(); ++i) {
    if (!begun || !trace_.sources[i].overwritten) continue;
    untouched = false;
    WriteLog& log = trace_.TensorAt(i, args_)->writes();
    ++log.count;
    log.last = line_;
  }
  untouched = untouched && !trace_.acts;
  // The code that is run instead draws what this has drawn.
  if (untouched && trace_.place >= 0) set_random_state(place_);
  throw RunFailed(std::move(status), untouched);
}

// How often it has drawn only the run knows.
void TraceRun::LeavePlace() {
  if (trace_.place_fetch < 0) return;
  RandomState now = StateOf(results_[static_cast<size_t>(trace_.place_fetch)]);
  if (now.seed == place_.seed) {
    TakeRandomCalls(now.calls - place_.calls);
  } else {
    set_random_state(now);
  }
}

// Where gradients of what was fed go.
std::vector<TapeEdge> TraceRun::Edges() const {
  std::vector<TapeEdge> edges(trace_.sources.size());
  for (size_t i = 0; i < edges.size(); ++i) {
    if (trace_.sources[i].requires_grad && trace_.sources[i].grad_of < 0 &&
        kDifferentiable.contains(trace_.feeds[i].dtype())) {
      edges[i] = EdgeTo(*trace_.TensorAt(i, args_));
    }
  }
  // What the code itself makes require gradients, which happens below.
  for (const auto& [i, wanted] : trace_.flags) {
    if (wanted) edges[i] = {{}, 0, trace_.TensorAt(i, args_)};
  }
  return edges;
}

// What comes back on the tape, where gradients flow through it.
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

// Which tensor around it is in this run, if it is one of them on some way.
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
  // What is also a tensor around the function, or a look into one, must not
  // change with it.
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

// Memory that was given up may be that of another result by now, and of the
// tensor that has become.
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
  // A tensor stays on its device, wherever what it becomes was computed.
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
  // Gradients last: what the code writes to one that is there is written to
  // that, not to what takes its place.
  for (const Trace::Landing& landing : trace_.landings) {
    if (landing.grad) continue;
    EagerValue& target = *trace_.TensorAt(landing.source, args_);
    // The gradient computes from the elements that were fed.
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

// What the gradient will read is noted as it is now.
void TraceRun::Watch() {
  if (!node_) return;
  for (size_t i = 0; i < trace_.sources.size(); ++i) {
    if (static_cast<int64_t>(i) == trace_.place) continue;
    if (trace_.sources[i].part != Capture::Entry::Part::kWhole) continue;
    const EagerRef& tensor = trace_.TensorAt(i, args_);
    if (!tensor || tensor->rows) continue;
    if (tensor->array.address() != node_->array(i).address()) continue;
    if (SharedOutside::Is(tensor->log.get())) {
      node_->KeepApart(i);  // nobody tells of writes there
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
    // What looks into a result of this call keeps the call, and must not be
    // kept by it.
    bool own = false;
    for (const TapeNode* at = look.get(); at && !own;) {
      own = at == node_.get();
      at = at->edges.empty() ? nullptr : at->edges[0].node.get();
    }
    if (!own) node_->through.push_back({static_cast<size_t>(output), look});
  }
}

// Whether a run says of what a result looks into if gradients flow there: of
// what the function has made, or has written to a tensor around.
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
  // The code may have changed whether it requires gradients before the look, or
  // after it.
  EagerRef base = value;
  const bool flag = base->requires_grad;
  // Where only a run knows whether, it does where what it looks into does.
  if (!how.steps.empty() && !base->producer) {
    base->requires_grad = how.flows && (flag || !ToldWhether(how));
  }
  // So may it have of leaves that it made of what was detached on the way.
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
