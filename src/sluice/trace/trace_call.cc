#include "sluice/trace/trace_call.h"

#include <optional>

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/device/device.h"
#include "sluice/eager/grad_mode.h"
#include "sluice/eager/random_calls.h"
#include "sluice/eager/recorded_device.h"
#include "sluice/eager/scope.h"
#include "sluice/eager/view_write.h"
#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"
#include "sluice/op/carries_gradient.h"
#include "sluice/op/grad_context.h"
#include "sluice/op/registry.h"
#include "sluice/trace/capture.h"
#include "sluice/trace/graph_tape.h"
#include "sluice/trace/memory_of.h"
#include "sluice/trace/random_place.h"

namespace sluice {

using front_internal::Building;
using front_internal::EagerMode;

namespace {

Result<Node*> Add(Capture& capture, std::string_view op,
                  std::span<const Value> inputs, const Attrs& attrs,
                  const SourceLine& line, const Device* device = nullptr) {
  Graph& graph = capture.graph();
  const Building& building = Building::Current();
  bool scoped = building.graph == &graph;
  NodeOptions options;
  options.line = line;
  if (scoped) {
    options.scope = building.scope;
    options.device = building.device;
    options.controls = building.controls;
  }
  options.device = RecordedDeviceName(device, options.device);
  Region& region = scoped && building.region ? *building.region : graph.root();
  std::optional<MutexLock> lock;
  if (building.locked != &graph) lock.emplace(graph.mu());
  return graph.Add(region, op, inputs, attrs, options);
}

bool Tracked(std::span<const EagerRef> inputs) {
  for (const EagerRef& in : inputs) {
    if (in->tracked() && CarriesGradient(in->dtype())) return true;
  }
  return false;
}

Status CheckMine(const Capture& capture, std::span<const EagerRef> inputs,
                 const OpRecord& op) {
  for (const EagerRef& in : inputs) {
    if (!in->traced || capture.Mine(*in)) continue;
    return FailedPrecondition(StrCat("[", op.name, "] ", RecordingIsOver(*in)));
  }
  return OkStatus();
}

}  // namespace

Value TraceNode(Capture& capture, std::string_view op,
                std::vector<Value> inputs, const Attrs& attrs) {
  return ValueOrThrow(Add(capture, op, inputs, attrs, {}))->output();
}

Value TraceStopped(Capture& capture, Value value) {
  bool list = value.dtype() == DType::kList;
  return TraceNode(capture, list ? "ListStopGradient" : "StopGradient", {value},
                   {});
}

void TraceEffect(Capture& capture, std::string_view op,
                 std::vector<Value> inputs, const Attrs& attrs) {
  ThrowIfError(Add(capture, op, inputs, attrs, {}).status());
}

Value TraceConstant(Capture& capture, const Array& value) {
  return TraceNode(capture, "Const", {}, {{"value", value}});
}

EagerRef Capture::Constant(const Array& value) {
  return Make(TraceConstant(*this, value), {}, {}, false);
}

Status Capture::Call(const OpRecord& op, std::span<const EagerRef> given,
                     const Attrs& attrs, const SourceLine& line,
                     EagerResults& results) {
  SL_RETURN_IF_ERROR(CheckMine(*this, given, op));
  SmallVector<EagerRef, 4> inputs;
  for (const EagerRef& in : given) {
    inputs.push_back(in->traced ? in : StandIn(in));
    // A view's history is as recent as its elements.
    Now(*inputs.back());
  }
  bool records = EagerMode::Current().grad && op.grad && Tracked(inputs);
  std::vector<Value> values;
  for (const EagerRef& in : inputs) {
    values.push_back(records ? NowAsOperand(*in) : Now(*in));
  }
  if (TakesPlace(op, values.size())) {
    if (Value place = NextDraw(line)) values.push_back(place);
  }
  SL_ASSIGN_OR_RETURN(const Device* device, RecordedDevice(*this, op, inputs));
  SL_ASSIGN_OR_RETURN(Node * node,
                      Add(*this, op.name, values, attrs, line, device));
  Record(*node, inputs, line, records);
  for (int i = 0; i < node->num_outputs(); ++i) {
    results.push_back(Adopt(node->output(i)));
  }
  return OkStatus();
}

namespace {

Status WrittenView(const OpRecord& op, const EagerValue& target) {
  return FailedPrecondition(StrCat(
      "[", op.name, "] ", target.Describe(),
      ", is a view; writing it in place would change what gradients see of the "
      "tensor it looks into; wanted set() on that tensor, or a clone()"));
}

Status CheckTarget(const OpRecord& op, const EagerValue& target, bool records) {
  if (target.traced->expanded || MemoryOf(target).traced->expanded) {
    return FailedPrecondition(
        StrCat("[", op.name, "] ", target.Describe(),
               ", shows the same elements several times, or looks into what "
               "does, and cannot be written in place; wanted a clone()"));
  }
  if (!records) return OkStatus();
  bool part = target.view_of && !StandsAlone(target);
  const EagerValue& base = part ? *target.view_of->base : target;
  bool leaf = !target.producer && target.requires_grad;
  if (leaf || (!base.producer && base.requires_grad)) {
    return FailedPrecondition(
        StrCat("[", op.name, "] ", target.Describe(),
               part ? ", is a view of a leaf" : ", is a leaf",
               " that requires gradients and cannot be written in place "
               "while calls are recorded; wanted no_grad around it"));
  }
  // A view made under no_grad has no history for gradients to follow.
  if (part && !target.view_of->records) return WrittenView(op, target);
  return OkStatus();
}

}  // namespace

Status Capture::CallInPlace(const OpRecord& op, const EagerRef& given,
                            std::span<const EagerRef> others,
                            const Attrs& attrs, const SourceLine& line) {
  EagerRef target = given->traced ? given : StandIn(given);
  std::vector<EagerRef> inputs{target};
  for (const EagerRef& other : others) {
    inputs.push_back(other->traced ? other : StandIn(other));
  }
  SL_RETURN_IF_ERROR(CheckMine(*this, inputs, op));
  for (const EagerRef& in : inputs) Now(*in);
  bool records = EagerMode::Current().grad && Tracked(inputs);
  SL_RETURN_IF_ERROR(CheckTarget(op, *target, records));
  int64_t entry = MemoryOf(*target).traced->entry;
  if (records && entry >= 0) {
    const EagerValue& outside = *entries_[static_cast<size_t>(entry)].value;
    if (outside.view && !outside.view_of) return WrittenView(op, *target);
  }
  EagerResults made;
  SL_RETURN_IF_ERROR(Call(op, inputs, attrs, line, made));
  for (const EagerRef& one : made) NoteCall(*one->traced->value.node);
  Ref<TapeNode> call = made.size() == 1 ? made[0]->producer : Ref<TapeNode>();
  PartialShape shape = target->shape();
  if (made.size() != 1 || made[0]->dtype() != target->dtype() ||
      !made[0]->shape().CompatibleWith(shape)) {
    return InvalidArgument(StrCat("[", op.name, "] the result is ",
                                  made[0]->TypeText(), "; wanted ",
                                  target->TypeText(), " to write it in place"));
  }
  if (!(made[0]->shape() == shape)) {
    // Sizes known only in a step: it fails if the result has others.
    static const OpRecord* shape_op = FindOp("Shape");
    static const OpRecord* reshape = FindOp("Reshape");
    EagerResults sizes, fitted;
    SL_RETURN_IF_ERROR(Call(*shape_op, {&target, 1}, {}, line, sizes));
    EagerRef both[] = {made[0], sizes[0]};
    SL_RETURN_IF_ERROR(Call(*reshape, both, {}, line, fitted));
    made = std::move(fitted);
  }
  SL_RETURN_IF_ERROR(CheckWrittenThere(*this, op, *target, *made[0]));
  Write(target, made[0], line, records);
  if (auto* way = dynamic_cast<GraphTapeNode*>(call.get())) way->WrittenOver();
  return OkStatus();
}

namespace {

// Applies a rule of an op to eager or traced tensors.
class CallContext final : public GradContext {
 public:
  CallContext(const ViewStep& step, const EagerRef& x, const EagerRef& part,
              const SourceLine& line)
      : GradContext(*step.op, step.attrs), line_(line) {
    in_.push_back(Enter(x));
    for (const EagerRef& other : step.others) in_.push_back(Enter(other));
    out_.push_back(Enter(part));
    dy_.push_back(Enter(part));
    for (size_t i = 0; i < in_.size(); ++i) wants_.push_back(i == 0);
    dx_.resize(in_.size(), -1);
  }
  const EagerRef& whole() const { return At(dx_[0]); }
  bool done() const { return dx_[0] >= 0; }

 protected:
  Status Emit(const OpRecord& op, std::span<const int> inputs,
              const Attrs& attrs, Ids& made) override {
    static const OpRecord* constant = FindOp("Const");
    EagerResults results;
    if (&op == constant) {
      const Array& value = attrs.get<Array>("value");
      Capture* capture = At(0)->traced ? Capture::Current() : nullptr;
      results.push_back(capture ? capture->Make(TraceConstant(*capture, value),
                                                line_, {}, false)
                                : MakeRef<EagerValue>(value));
    } else {
      SmallVector<EagerRef, 4> values;
      for (int id : inputs) values.push_back(At(id));
      SL_RETURN_IF_ERROR(EagerCall(op, std::span<const EagerRef>(values), attrs,
                                   line_, results));
    }
    for (EagerRef& r : results) made.push_back(Enter(std::move(r)));
    return OkStatus();
  }
  DType TypeOf(int id) const override { return At(id)->dtype(); }
  PartialShape ShapeOf(int id) const override { return At(id)->shape(); }

 private:
  int Enter(EagerRef value) {
    table_.push_back(std::move(value));
    return static_cast<int>(table_.size()) - 1;
  }
  const EagerRef& At(int id) const { return table_[static_cast<size_t>(id)]; }

  std::vector<EagerRef> table_;
  const SourceLine line_;
};

}  // namespace

Result<EagerRef> WriteBack(const ViewStep& step, const EagerRef& x,
                           const EagerRef& part, const SourceLine& line) {
  CallContext context(step, x, part, line);
  step.op->write_back(context);
  SL_RETURN_IF_ERROR(context.status());
  if (!context.done()) {
    return Internal(StrCat("[", step.op->name, "] its view writes nothing"));
  }
  return context.whole();
}

}  // namespace sluice
