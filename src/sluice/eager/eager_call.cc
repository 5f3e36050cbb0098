#include "sluice/eager/eager_call.h"

#include <optional>

#include "sluice/base/strings.h"
#include "sluice/device/copy_caller.h"
#include "sluice/device/devices.h"
#include "sluice/eager/grad_mode.h"
#include "sluice/eager/nan_trap.h"
#include "sluice/eager/recording.h"
#include "sluice/eager/same_memory.h"
#include "sluice/eager/view_write.h"
#include "sluice/op/carries_gradient.h"
#include "sluice/op/kernel_times.h"
#include "sluice/tensor/strided.h"

namespace sluice {

namespace front_internal {
EagerMode& EagerMode::Current() {
  thread_local EagerMode mode;
  return mode;
}
}  // namespace front_internal

EagerValue::EagerValue(Array value) : array(std::move(value)) {}
EagerValue::~EagerValue() = default;

DType EagerValue::dtype() const {
  if (!traced) return array.dtype();
  if (rows) return traced->rows_dtype;
  return traced->recording ? traced->value.dtype() : traced->type.dtype;
}

WriteLog& EagerValue::PublishLog() {
  // For the logs of all values: two threads must not make one each. No
  // annotation: the thread that writes a value reads `log` without the lock.
  static Mutex mu;
  MutexLock lock(mu);
  if (!log) log = MakeRef<WriteLog>();
  published_log.store(log.get(), std::memory_order_release);
  return *log;
}

PartialShape EagerValue::shape() const {
  if (!traced) return PartialShape(array.shape());
  if (rows) return traced->dense;
  return traced->recording ? traced->value.shape() : traced->type.shape;
}

std::string EagerValue::TypeText() const {
  return traced ? sluice::TypeText(dtype(), shape()) : array.TypeText();
}

std::string EagerValue::Describe() const {
  std::string text = extra && !extra->name.empty()
                         ? StrCat("\"", extra->name, "\" ")
                         : std::string();
  StrAppend(text, TypeText());
  if (line.known()) StrAppend(text, ", made at ", line.ToString());
  return text;
}

namespace {

using front_internal::EagerMode;

// A copy that fails after its call is reported by the reader of its result, and
// names the call's line.
class CopiesOfCall final : public CopyCaller {
 public:
  explicit CopiesOfCall(const SourceLine& line) : line_(line) {}

 protected:
  CopyFailed Failed() const override {
    return [text = StrCat("at ", line_), outer = Outer()](const Status& error) {
      Status told = error.WithLine(text);
      return outer ? outer(told) : told;
    };
  }

 private:
  const SourceLine& line_;
};

bool Tracked(EagerPointers inputs) {
  bool tracked = false;
  for (EagerValue* in : inputs) {
    if (in->view_of) [[unlikely]]
      RefreshView(*in);
    tracked = tracked || (in->tracked() && CarriesGradient(in->array.dtype()));
  }
  return tracked;
}

// Takes calls on values of a function that is being recorded.
Result<Recording*> RecordingFor(const OpRecord& op,
                                std::span<const EagerRef> inputs) {
  if (Recording* current = Recording::Current()) return current;
  for (const EagerRef& in : inputs) {
    if (!in->traced) continue;
    return FailedPrecondition(StrCat("[", op.name, "] ", RecordingIsOver(*in)));
  }
  return Internal(StrCat("[", op.name, "] no operand is recorded"));
}

bool Traced(EagerPointers inputs) {
  for (const EagerValue* in : inputs) {
    if (in->traced) return true;
  }
  return false;
}

bool Differentiable(const EagerOp& op) {
  if (!op.record().grad) return false;
  for (DType dtype : op.out_dtypes()) {
    if (CarriesGradient(dtype)) return true;
  }
  return false;
}

// A node whose edges lead where the inputs came from.
Ref<OpTapeNode> NodeFor(Ref<EagerOp> op, EagerPointers inputs,
                        const SourceLine& line) {
  Ref<OpTapeNode> node = MakeRef<OpTapeNode>(std::move(op), line);
  node->edges.resize(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    bool flows = CarriesGradient(inputs[i]->array.dtype());
    if (flows) node->edges[i] = EdgeTo(*inputs[i]);
  }
  node->SetDepth();
  return node;
}

}  // namespace

Status EagerCall(const OpRecord& op, EagerPointers inputs, const Attrs& attrs,
                 const SourceLine& line, EagerResults& results) {
  if (Traced(inputs)) [[unlikely]] {
    SmallVector<EagerRef, 6> shared;
    for (EagerValue* in : inputs) shared.push_back(EagerRef::Share(in));
    SL_ASSIGN_OR_RETURN(Recording * recording, RecordingFor(op, shared));
    return recording->Call(op, shared, attrs, line, results);
  }
  const EagerMode& mode = EagerMode::Current();
  SmallVector<const Array*, 4> in;
  for (const EagerValue* v : inputs) in.push_back(&v->array);
  SL_ASSIGN_OR_RETURN(Ref<EagerOp> found, EagerOp::Find(op, attrs, in));
  const bool tracked = mode.grad && Tracked(inputs);
  SmallVector<Array, 2> out;
  out.resize(found->num_outputs());
  std::optional<CopiesOfCall> copies;
  if (Devices::Count() > 1) copies.emplace(line);
  std::optional<KernelsOfLine> kernels;
  if (KernelTimes::active()) [[unlikely]]
    kernels.emplace(line);
  SL_RETURN_IF_ERROR(found->Run(in, out));
  if (mode.nan_trap) SL_RETURN_IF_ERROR(CheckFinite(*found, in, out));

  Ref<OpTapeNode> node;
  if (tracked && Differentiable(*found)) {
    node = NodeFor(std::move(found), inputs, line);
    SL_RETURN_IF_ERROR(node->Keep(inputs, out, /*overwritten=*/false));
  }
  for (size_t i = 0; i < out.size(); ++i) {
    EagerRef value = MakeRef<EagerValue>(std::move(out[i]));
    value->line = line;
    if (i == 0 && op.view && SameMemory(value->array, *in[0])) {
      value->view = true;
      value->log = Ref<WriteLog>::Share(&inputs[0]->writes());
      if (op.view_order) NoteView(*value, op, attrs, inputs, mode.grad);
    }
    results.push_back(std::move(value));
  }
  if (!node) return OkStatus();
  node->KeepOutputs(results);
  for (size_t i = 0; i < results.size(); ++i) {
    EagerValue& value = *results[i];
    if (!CarriesGradient(value.array.dtype())) continue;
    value.producer = i + 1 < results.size() ? node : std::move(node);
    value.output = static_cast<int>(i);
  }
  return OkStatus();
}

Status EagerCall(const OpRecord& op, std::span<const EagerRef> inputs,
                 const Attrs& attrs, const SourceLine& line,
                 EagerResults& results) {
  SmallVector<EagerValue*, 6> pointers;
  for (const EagerRef& in : inputs) pointers.push_back(in.get());
  return EagerCall(op, pointers, attrs, line, results);
}

std::string CallLine(const OpRecord& op, EagerPointers inputs,
                     const SourceLine& line) {
  std::string text = StrCat("at ", line);
  for (size_t i = 0; i < inputs.size() && i < 4; ++i) {
    const EagerValue& in = *inputs[i];
    StrAppend(text, i == 0 ? "  " : ", ", op.InputName(static_cast<int>(i)),
              " = ");
    if (in.extra && !in.extra->name.empty()) {
      StrAppend(text, "\"", in.extra->name, "\" ");
    }
    StrAppend(text, in.TypeText());
  }
  return text;
}

Status CheckWritable(std::string_view op, const EagerValue& target) {
  const Array& a = target.array;
  for (int i = 0; i < a.rank(); ++i) {
    if (a.dim(i) < 2 || a.strides()[static_cast<size_t>(i)] != 0) continue;
    return FailedPrecondition(
        StrCat("[", op, "] ", target.Describe(), ", is the same elements ",
               "seen ", a.dim(i), " times along axis ", i,
               " and cannot be written in place; wanted a clone()"));
  }
  return OkStatus();
}

namespace {

Status CheckTarget(const OpRecord& op, const EagerValue& target, bool records) {
  SL_RETURN_IF_ERROR(CheckWritable(op.name, target));
  if (!records) return OkStatus();
  bool unknown = target.view && !target.view_of;
  bool part = target.view_of && !StandsAlone(target);
  const EagerValue& base = part ? *target.view_of->base : target;
  bool leaf = !target.producer && target.requires_grad;
  if (leaf || (!unknown && !base.producer && base.requires_grad)) {
    return FailedPrecondition(
        StrCat("[", op.name, "] ", target.Describe(),
               leaf ? ", is a leaf" : ", is a view of a leaf",
               " that requires gradients and cannot be written in place "
               "while calls are recorded; wanted no_grad around it"));
  }
  // One that was made under no_grad has no history to lead back by.
  if (unknown || (part && !target.view_of->records)) {
    return FailedPrecondition(StrCat(
        "[", op.name, "] ", target.Describe(),
        ", is a view; writing it in place would change what gradients see of "
        "the tensor it looks into; wanted set() on that tensor, or a clone()"));
  }
  return OkStatus();
}

}  // namespace

Status EagerCallInPlace(const OpRecord& op, const EagerRef& target,
                        std::span<const EagerRef> others, const Attrs& attrs,
                        const SourceLine& line) {
  bool traced = target->traced != nullptr;
  for (const EagerRef& v : others) traced = traced || v->traced;
  if (traced) {
    SmallVector<EagerRef, 4> all{target};
    for (const EagerRef& v : others) all.push_back(v);
    SL_ASSIGN_OR_RETURN(Recording * recording, RecordingFor(op, all));
    return recording->CallInPlace(op, target, others, attrs, line);
  }
  SmallVector<EagerValue*, 4> inputs{target.get()};
  SmallVector<const Array*, 4> in{&target->array};
  for (const EagerRef& v : others) {
    inputs.push_back(v.get());
    in.push_back(&v->array);
  }
  SL_ASSIGN_OR_RETURN(Ref<EagerOp> found, EagerOp::Find(op, attrs, in));
  const EagerMode& mode = EagerMode::Current();
  bool records = mode.grad && Tracked(inputs);
  SL_RETURN_IF_ERROR(CheckTarget(op, *target, records));
  records = records && Differentiable(*found);

  Ref<OpTapeNode> node;
  if (records) {
    node = NodeFor(found, inputs, line);
    SL_RETURN_IF_ERROR(
        node->Keep(inputs, {&target->array, 1}, /*overwritten=*/true));
  }
  std::optional<CopiesOfCall> copies;
  if (Devices::Count() > 1) copies.emplace(line);
  std::optional<KernelsOfLine> kernels;
  if (KernelTimes::active()) [[unlikely]]
    kernels.emplace(line);
  SL_RETURN_IF_ERROR(found->RunInto(in, target->array));
  if (mode.nan_trap) {
    SL_RETURN_IF_ERROR(CheckFinite(*found, in, {&target->array, 1}));
  }
  WriteLog& log = target->writes();
  ++log.count;
  log.last = line;
  if (node) {
    target->producer = node;
    target->output = 0;
    node->KeepOutputs({&target, 1});
    ++log.histories;
    if (target->view_of) ChangeHistory(*target, line);
  }
  return OkStatus();
}

}  // namespace sluice
