#include "sluice/eager/eager_op.h"

#include <atomic>
#include <cstring>
#include <map>
#include <unordered_map>
#include <utility>

#include "sluice/autodiff/graph_grad_context.h"
#include "sluice/base/error.h"
#include "sluice/base/interruption.h"
#include "sluice/base/random.h"
#include "sluice/base/strings.h"
#include "sluice/base/thread_owned.h"
#include "sluice/base/worker_pool.h"
#include "sluice/device/devices.h"
#include "sluice/eager/call_device.h"
#include "sluice/eager/manual_seed.h"
#include "sluice/eager/random_calls.h"
#include "sluice/eager/recording.h"
#include "sluice/eager/same_memory.h"
#include "sluice/eager/task_calls.h"
#include "sluice/launch/copy_between.h"
#include "sluice/op/call_key.h"
#include "sluice/op/carries_gradient.h"
#include "sluice/op/elementwise_kernel.h"
#include "sluice/op/kernel_times.h"
#include "sluice/op/resource.h"
#include "sluice/op/run_op.h"
#include "sluice/tensor/strided.h"

namespace sluice {

namespace {

std::atomic<uint64_t> random_seed{0};
std::atomic<int64_t> random_calls{0};

uint64_t HashOf(const AttrValue& value) {
  uint64_t h = static_cast<uint64_t>(value.kind());
  switch (value.kind()) {
    case AttrKind::kBool:
      return h * 31 + value.get<bool>();
    case AttrKind::kInt:
      return h * 31 + static_cast<uint64_t>(value.get<int64_t>());
    case AttrKind::kFloat:
      return h * 31 + std::hash<double>()(value.get<double>());
    case AttrKind::kString:
      return h * 31 + std::hash<std::string>()(value.get<std::string>());
    case AttrKind::kDType:
      return h * 31 + static_cast<uint64_t>(value.get<DType>());
    case AttrKind::kInts:
      for (int64_t v : value.get<std::vector<int64_t>>()) {
        h = h * 31 + static_cast<uint64_t>(v);
      }
      return h;
    default:
      return h;
  }
}

uint64_t HashOf(const OpRecord& op, const Attrs& attrs, ArrayPointers inputs) {
  uint64_t h = reinterpret_cast<uintptr_t>(&op);
  for (const Array* in : inputs) {
    h = h * 37 + static_cast<uint64_t>(in->dtype());
  }
  for (const auto& [name, value] : attrs) h = h * 41 + HashOf(value);
  return RandomKey::Mix(h);
}

// The ops this thread called lately: a table where each call has a few places,
// so that two that a program calls in turn do not drive each other out.
constexpr size_t kSets = 256, kWays = 4;
struct Recent {
  Ref<EagerOp> sets[kSets][kWays];
};

}  // namespace

int64_t RandomCalls() { return random_calls; }
int64_t SetRandomCalls(int64_t calls) { return random_calls.exchange(calls); }

RandomState NextRandomCall() { return TakeRandomCalls(1); }

RandomState TakeRandomCalls(int64_t count) {
  return {random_seed, random_calls.fetch_add(count)};
}

void manual_seed(uint64_t seed) { set_random_state({seed, 0}); }

RandomState random_state() {
  if (Recording::Open()) {
    throw Error(Unimplemented(
        "random_state: while a function is recorded, where its random numbers "
        "are is not known; wanted it asked for before or after the call"));
  }
  return {random_seed, random_calls};
}

void set_random_state(const RandomState& state) {
  if (Recording* recording = Recording::Open()) {
    return recording->SetPlace(state, {});
  }
  random_seed = state.seed;
  random_calls = state.calls;
}

bool EagerOp::Matches(const OpRecord& op, const Attrs& given,
                      ArrayPointers inputs) const {
  if (record_ != &op || in_dtypes_.size() != inputs.size()) return false;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (in_dtypes_[i] != inputs[i]->dtype()) return false;
  }
  // Most calls have none.
  return given_.size() == given.size() && (given.empty() || given_ == given);
}

EagerOp::~EagerOp() {
  const Known* known = known_.load();
  while (known) delete std::exchange(known, known->next);
}

Result<Ref<EagerOp>> EagerOp::Find(const OpRecord& op, const Attrs& given,
                                   ArrayPointers inputs) {
  Ref<EagerOp>* set =
      ThreadOwned<Recent>::Get().sets[HashOf(op, given, inputs) % kSets];
  for (size_t way = 0; way < kWays && set[way]; ++way) {
    if (set[way]->Matches(op, given, inputs)) return set[way];
  }
  if (op.structural || !op.regions.empty()) {
    return FailedPrecondition(
        StrCat("[", op.name,
               "] is part of a graph; no graph is open on this thread: wanted "
               "one opened around the call"));
  }
  Ref<EagerOp> made = Ref<EagerOp>::Adopt(new EagerOp());
  made->record_ = &op;
  std::vector<DType> dtypes;
  for (const Array* in : inputs) {
    made->in_dtypes_.push_back(in->dtype());
    dtypes.push_back(in->dtype());
  }
  SL_ASSIGN_OR_RETURN(made->call_, ResolveCall(op, given, dtypes));
  made->given_ = given;
  if (op.block && made->num_outputs() == 1 &&
      inputs.size() <= static_cast<size_t>(kMaxBlockInputs)) {
    made->block_ = op.block(made->attrs(), dtypes, made->out_dtypes()[0]);
  }
  // An attribute may hold a large array: such calls are not kept.
  for (const auto& [name, value] : given) {
    if (value.kind() == AttrKind::kArray) return made;
  }
  // The newest first; the oldest goes.
  for (size_t way = kWays - 1; way > 0; --way) set[way] = set[way - 1];
  set[0] = made;
  return made;
}

bool EagerOp::RunPlain(ArrayPointers inputs, Array& out) const {
  if (!block_.fn) return false;
  constexpr int64_t kShort = 4096;
  // The operand whose shape the result has: the others are alike, or scalars.
  size_t whole = 0;
  while (whole + 1 < inputs.size() && inputs[whole]->rank() == 0) ++whole;
  const Shape& shape = inputs[whole]->shape();
  int64_t n = shape.num_elements();
  if (n > kShort || n == 0) return false;
  const void* data[kMaxBlockInputs] = {};
  // One scalar, as often as the block wants it.
  constexpr int64_t kRepeated = 1024;
  alignas(16) char repeated[kRepeated];
  bool room = true;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Array& in = *inputs[i];
    if (!in.contiguous() || in.memory()) return false;
    data[i] = in.raw();
    if (in.shape() == shape) continue;
    int64_t bytes = DTypeSize(in.dtype());
    if (in.rank() != 0 || !std::exchange(room, false) ||
        !IsPlainData(in.dtype()) || n * bytes > kRepeated) {
      return false;
    }
    for (int64_t k = 0; k < n; ++k) {
      std::memcpy(repeated + k * bytes, in.raw(), static_cast<size_t>(bytes));
    }
    data[i] = repeated;
  }
  Result<Array> made = Array::Make(out_dtypes()[0], shape);
  if (!made.ok()) return false;
  TimedKernel timed(record_->name, {});
  block_.fn(made->mutable_raw(), data, n, block_.params);
  timed.Did(static_cast<double>(n),
            made->bytes() * (1 + static_cast<int64_t>(inputs.size())));
  out = *std::move(made);
  return true;
}

namespace {

SmallVector<Array, 6> Owned(ArrayPointers inputs) {
  SmallVector<Array, 6> arrays;
  for (const Array* in : inputs) arrays.push_back(*in);
  return arrays;
}

}  // namespace

Status EagerOp::Run(ArrayPointers inputs, std::span<Array> outputs) const {
  if (!outputs.empty() && !TaskScopes::Current() &&
      RunPlain(inputs, outputs[0])) {
    return OkStatus();
  }
  SmallVector<Array, 6> in = Owned(inputs);
  return RunTaking(in, outputs);
}

Status EagerOp::RunTaking(std::span<Array> in, std::span<Array> outputs) const {
  StepContext step;
  step.pool = &WorkerPool::Default();
  // One that is told a place does not take one.
  const bool draws = record_->random && in.size() < record_->inputs.size();
  RandomState place;
  if (draws) {
    place = NextRandomCall();
    step.seed = place.seed;
    step.step_id = place.calls;
  }
  if (const std::string* task = TaskScopes::Current();
      task && RunsInTask(*record_)) [[unlikely]] {
    return CallInTask(*task, *record_, attrs(), draws ? &place : nullptr, in,
                      outputs);
  }
  NodeInfo node{record_->name, {}, CallKey()};
  SL_ASSIGN_OR_RETURN(Device * device, CallDevice(*record_, in));
  if (device) [[unlikely]] {
    LaunchCall call{*record_, attrs(), node, out_dtypes()};
    return CallOn(*device, call, step, in, outputs);
  }
  if (record_->async()) {
    // Such an op may wait for long.
    auto stop = std::make_shared<Cancellation>();
    step.cancellation = stop.get();
    Interruption::Running stoppable(stop);
    SL_ASSIGN_OR_RETURN(std::vector<Array> made,
                        RunOp(*record_, attrs(), in, &step, &node));
    std::move(made.begin(), made.end(), outputs.begin());
    return OkStatus();
  }
  return LaunchCpu(*record_, attrs(), node, step, in, out_dtypes(), outputs);
}

namespace {

// Element by element in place: an input may be the very array that is written,
// but not another part of its memory, nor itself broadcast.
bool ReadsWhatIsWritten(const Array& in, const Array& out) {
  if (in.address() == out.address() && in.shape() == out.shape()) return false;
  return SameMemory(in, out);
}

}  // namespace

Status EagerOp::RunInto(ArrayPointers inputs, const Array& out) const {
  auto mismatch = [&](const std::string& got) {
    return InvalidArgument(StrCat("[", record_->name, "] the result is ", got,
                                  "; wanted ", out.TypeText(),
                                  " to write it in place"));
  };
  if (num_outputs() != 1 || out_dtypes()[0] != out.dtype()) {
    return mismatch(num_outputs() == 1 ? std::string(DTypeName(out_dtypes()[0]))
                                       : StrCat(num_outputs(), " values"));
  }
  bool elsewhere = out.memory() || TaskScopes::Current();
  for (const Array* in : inputs) elsewhere = elsewhere || in->memory();
  if (elsewhere) [[unlikely]] {
    Array made;
    SL_RETURN_IF_ERROR(Run(inputs, {&made, 1}));
    if (!(made.shape() == out.shape())) return mismatch(made.TypeText());
    if (made.memory() && !out.memory()) {
      return WrittenElsewhere(*record_, made.TypeText(), Devices::Of(made),
                              CpuDevice());
    }
    return CopyElements(made, out);
  }
  if (block_.fn && out.contiguous()) {
    bool fits = true, apart = true;
    for (const Array* in : inputs) {
      if (!(in->shape() == out.shape())) {
        Result<Shape> both = BroadcastShapes(in->shape(), out.shape());
        fits = fits && both.ok() && *both == out.shape();
      }
      apart = apart && in->contiguous() && !ReadsWhatIsWritten(*in, out);
    }
    if (fits && apart) {
      StepContext step;
      step.pool = &WorkerPool::Default();
      NodeInfo node{record_->name, {}, 0};
      Array result = out;
      SmallVector<Array, 6> in = Owned(inputs);
      KernelContext context(*record_, attrs(), node, step, in, {&result, 1});
      TimedKernel timed(record_->name, {});
      Status status = RunBlock(context, block_);
      timed.Did(*record_, attrs(), in, {&result, 1});
      return status;
    }
  }
  Array made;
  bool over = record_->cpu().in_place && !block_.fn && out.contiguous() &&
              inputs[0]->address() == out.address() &&
              inputs[0]->shape() == out.shape();
  for (const Array* in : inputs.subspan(1)) {
    over = over && !SameMemory(*in, out);
  }
  if (over) {
    // The kernel writes over its first input if that is the array it is given
    // for the result.
    made = out;
    SL_RETURN_IF_ERROR(Run(inputs, {&made, 1}));
    return made.address() == out.address() ? OkStatus()
                                           : mismatch(made.TypeText());
  }
  SL_RETURN_IF_ERROR(Run(inputs, {&made, 1}));
  if (!(made.shape() == out.shape())) return mismatch(made.TypeText());
  if (made.address() == out.address()) {
    SL_ASSIGN_OR_RETURN(made, made.Clone());
  }
  CopyRegion(out.dtype(), out.shape(), made.raw(), made.strides(),
             out.mutable_raw(), out.strides(), &WorkerPool::Default());
  return OkStatus();
}

namespace {

// Whether anybody but `self` reads the elements of a value.
bool Read(const Value& v, const Node* self) {
  for (const Node* user : v.node->users()) {
    if (user == self || user->op().shape_only) continue;
    for (const Value& in : user->inputs()) {
      if (in == v) return true;
    }
  }
  return false;
}

// An operand as the probe sees it. Sizes do not matter to a rule, only how many
// axes there are; but numbers that are shapes or axes decide those.
Result<Value> Operand(Graph& graph, std::string_view name, const Array& a) {
  if (IsInteger(a.dtype()) && a.num_elements() <= kMaxRank) {
    SL_ASSIGN_OR_RETURN(Array here, CopyTo(a, CpuDevice()));
    SL_ASSIGN_OR_RETURN(
        Node * node, graph.Add(graph.root(), "Const", {}, {{"value", here}}));
    return node->output();
  }
  return graph.AddArg(graph.root(), name,
                      {a.dtype(), PartialShape::OfRank(a.rank())});
}

Result<GradNeeds> Probe(const EagerOp& op, uint64_t wants, ArrayPointers inputs,
                        ArrayPointers outputs) {
  Graph graph("probe");
  std::vector<Value> args, dy;
  // Of what comes after the first 64 nothing is asked: those of a kind may be
  // one, where there are many thousand of them.
  std::map<std::pair<DType, int>, Value> others;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Array& x = *inputs[i];
    Value* other = i < 64 ? nullptr : &others[{x.dtype(), x.rank()}];
    if (other && *other && !IsInteger(x.dtype())) {
      args.push_back(*other);
      continue;
    }
    SL_ASSIGN_OR_RETURN(Value arg, Operand(graph, StrCat("x", i), x));
    args.push_back(arg);
    if (other) *other = arg;
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    SL_ASSIGN_OR_RETURN(Value arg,
                        Operand(graph, StrCat("dy", i), *outputs[i]));
    dy.push_back(CarriesGradient(arg.dtype()) ? arg : Value());
  }
  SL_ASSIGN_OR_RETURN(
      Node * node, graph.Add(graph.root(), op.record().name, args, op.attrs()));
  std::vector<bool> wanted;
  for (size_t i = 0; i < inputs.size(); ++i) {
    wanted.push_back(i < 64 && wants >> i & 1);
  }
  GraphGradContext context(graph, *node, dy, wanted);
  op.record().grad(context);
  SL_RETURN_IF_ERROR(context.status());
  GradNeeds needs;
  for (size_t i = 0; i < inputs.size() && i < 64; ++i) {
    bool given = false;
    for (size_t k = 0; k < inputs.size(); ++k) {
      given = given || context.gradient(static_cast<int>(k)) == args[i] ||
              context.gradient_rows(static_cast<int>(k)) == args[i];
    }
    if (given || Read(args[i], node)) needs.inputs |= uint64_t{1} << i;
  }
  for (size_t i = 0; i < outputs.size() && i < 64; ++i) {
    Value out = node->output(static_cast<int>(i));
    bool given = false;
    for (size_t k = 0; k < inputs.size(); ++k) {
      given = given || context.gradient(static_cast<int>(k)) == out;
    }
    if (given || Read(out, node)) needs.outputs |= uint64_t{1} << i;
  }
  return needs;
}

}  // namespace

GradNeeds EagerOp::Needs(uint64_t wants, ArrayPointers inputs,
                         ArrayPointers outputs) const {
  uint64_t ranks = 0;
  for (const Array* in : inputs) {
    ranks = ranks * 16 + static_cast<uint64_t>(in->rank());
  }
  if (const GradNeeds* known = KnownNeeds(wants, ranks)) return *known;
  // A rule that cannot say keeps everything.
  GradNeeds all{~uint64_t{0}, ~uint64_t{0}};
  Result<GradNeeds> probed = Probe(*this, wants, inputs, outputs);
  GradNeeds needs = probed.ok() ? *probed : all;
  auto* known = new Known{wants, ranks, needs, known_.load()};
  while (!known_.compare_exchange_weak(known->next, known,
                                       std::memory_order_acq_rel)) {
  }
  return needs;
}

}  // namespace sluice
