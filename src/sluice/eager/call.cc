#include "sluice/eager/call.h"

#include <optional>

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/device/names_task.h"
#include "sluice/eager/autocast.h"
#include "sluice/eager/call_device.h"
#include "sluice/eager/eager_call.h"
#include "sluice/eager/grad_mode.h"
#include "sluice/eager/kept_constant.h"
#include "sluice/eager/list_constant.h"
#include "sluice/eager/other_graph.h"
#include "sluice/eager/promote.h"
#include "sluice/eager/promoted_operands.h"
#include "sluice/eager/random_calls.h"
#include "sluice/eager/recorded_device.h"
#include "sluice/eager/recording.h"
#include "sluice/eager/scope.h"
#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"
#include "sluice/op/carries_gradient.h"
#include "sluice/op/registry.h"

namespace sluice {

namespace front_internal {
namespace {

// The type a literal takes among these operands: the one its input is declared
// with, that of a tensor whose input is declared alike, or its own.
DType LiteralType(const NodeRequest& r, const OpRecord& op, size_t i) {
  DType own = r.inputs[i].literal_value().dtype();
  const ArgSpec* spec = InputSpec(op, i, r.inputs.size());
  if (!spec || spec->type == "any") return own;
  DType stated = StatedType(*spec, *r.attrs);
  if (stated != DType::kInvalid) return stated;
  // A tensor decides; without one the first literal does.
  std::optional<DType> first;
  for (size_t k = 0; k < r.inputs.size(); ++k) {
    const ArgSpec* other = InputSpec(op, k, r.inputs.size());
    if (!other || other->type != spec->type) continue;
    if (r.inputs[k].is_tensor()) return r.inputs[k].tensor().dtype();
    if (!first) first = r.inputs[k].literal_value().dtype();
  }
  return first.value_or(own);
}

Status HoldsNothing(std::string_view op) {
  return InvalidArgument(
      StrCat("[", op, "] an operand is a Tensor that holds nothing"));
}

// A call runs at once unless a graph is open or an operand belongs to one.
bool RunsAtOnce(const NodeRequest& r) {
  if (r.graph || Building::Current().graph) return false;
  for (const Operand& in : r.inputs) {
    if (in.is_tensor() && in.tensor().symbolic()) return false;
  }
  return true;
}

// The literal of operand i as what its input wants.
Result<Array> LiteralValue(const NodeRequest& r, const OpRecord& op, size_t i) {
  Result<Array> value = r.inputs[i].literal_value().As(LiteralType(r, op, i));
  if (value.ok()) return value;
  return InvalidArgument(StrCat("[", op.name, "] ",
                                op.InputName(static_cast<int>(i)), ": ",
                                value.status().message()));
}

Status TryRunNow(const NodeRequest& r, EagerResults& results) {
  SL_ASSIGN_OR_RETURN(const OpRecord* op, LookupOp(r.op));
  if (op->role == Role::kConst) {
    EagerRef value = MakeRef<EagerValue>(r.attrs->get<Array>("value"));
    value->line = r.line;
    results.push_back(std::move(value));
    return OkStatus();
  }
  SmallVector<EagerValue*, 6> inputs;
  SmallVector<EagerRef, 2> literals;
  for (size_t i = 0; i < r.inputs.size(); ++i) {
    if (r.inputs[i].is_tensor()) {
      if (!r.inputs[i].tensor().defined()) return HoldsNothing(r.op);
      inputs.push_back(r.inputs[i].tensor().eager().get());
      continue;
    }
    SL_ASSIGN_OR_RETURN(Array value, LiteralValue(r, *op, i));
    literals.push_back(MakeRef<EagerValue>(std::move(value)));
    inputs.push_back(literals.back().get());
  }
  if (!literals.empty())
    SL_RETURN_IF_ERROR(BringLiterals(*op, inputs, literals));
  return EagerCall(*op, inputs, *r.attrs, r.line, results);
}

// Throws with the user's line.
void RunNow(const NodeRequest& r, EagerResults& results) {
  Status status = TryRunNow(r, results);
  if (status.ok()) [[likely]]
    return;
  throw Error(status.WithLine(StrCat("at ", r.line)));
}

Result<Graph*> GraphOf(const NodeRequest& r, const Building& building) {
  Graph* graph = r.graph ? r.graph : building.graph;
  for (const Operand& in : r.inputs) {
    if (!in.is_tensor()) continue;
    if (!in.tensor().defined()) return HoldsNothing(r.op);
    if (!in.tensor().symbolic()) continue;
    Graph* its = &in.tensor().graph();
    if (!graph) graph = its;
    if (graph != its) {
      return InvalidArgument(
          StrCat("[", r.op, "] ",
                 OtherGraph(in.tensor().name(), *in.tensor().value().node, *its,
                            *graph, "a value of the graph being built")));
    }
  }
  if (graph) return graph;
  return FailedPrecondition(
      StrCat("[", r.op,
             "] no graph is open on this thread; wanted one opened around the "
             "call"));
}

// The operands of a call in a function being recorded, as the tape sees them.
class TracedOperands {
 public:
  TracedOperands(Recording* recording, const OpRecord& op,
                 std::span<const Operand> inputs)
      : recording_(recording), op_(op) {
    if (!recording_) return;
    bool tracked = false;
    for (const Operand& in : inputs) {
      refs_.emplace_back();
      if (!in.is_tensor()) continue;
      EagerRef& ref = refs_.back();
      ref = recording_->ValueOf(in.tensor());
      if (ref->rows) in.tensor().value();  // throws: ops take no such tensor
      recording_->Now(*ref);
      tracked = tracked || (ref->tracked() && CarriesGradient(ref->dtype()));
    }
    bool flow = op.flow != Flow::kNone;
    records_ = EagerMode::Current().grad && (op.grad ? tracked : flow);
  }
  void Fill(std::vector<Value>& values) {
    for (size_t i = 0; i < refs_.size(); ++i) {
      if (!refs_[i]) continue;
      values[i] = records_ ? recording_->NowAsOperand(*refs_[i])
                           : recording_->Now(*refs_[i]);
    }
  }
  Result<Device*> RunsOn() const {
    if (!recording_ || op_.structural) return nullptr;
    return RecordedDevice(*recording_, op_, refs_);
  }
  // Control flow is recorded once its regions are.
  void Record(Node& node, const SourceLine& line) {
    if (!recording_ || op_.flow != Flow::kNone || op_.structural) return;
    recording_->NoteCall(node);
    recording_->Record(node, refs_, line, records_);
  }

 private:
  Recording* recording_;
  const OpRecord& op_;
  std::vector<EagerRef> refs_;
  bool records_ = false;
};

// State is in one task, and what reads or changes it is there too, whatever
// task the scope around says: only values travel. Empty: no operand says.
std::string TaskOfState(std::span<const Operand> inputs) {
  for (const Operand& in : inputs) {
    if (!in.is_tensor() || !in.tensor().symbolic()) continue;
    if (in.tensor().dtype() != DType::kResource) continue;
    const std::string& device = in.tensor().value().node->device();
    if (NamesTask(device)) return device;
  }
  return {};
}

Result<Node*> TryAddNode(const NodeRequest& r, Graph** graph) {
  const Building& building = Building::Current();
  SL_ASSIGN_OR_RETURN(*graph, GraphOf(r, building));
  SL_ASSIGN_OR_RETURN(const OpRecord* op, LookupOp(r.op));
  // Open scopes without a graph apply to whatever graph is built.
  bool scoped = !building.graph || building.graph == *graph;
  // State outlives the iteration that asks for it: handles are made outside.
  bool inside = scoped && building.region && !op->handle;
  Region& region = inside ? *building.region : (*graph)->root();
  NodeOptions options;
  options.line = r.line;
  if (scoped) {
    options.scope = building.scope;
    options.device = building.device;
  }
  // Imperative tensors are arguments of a function being captured, which has
  // no lock yet, or else constants.
  Recording* recording = Recording::Current();
  if (recording && &recording->graph() != *graph) recording = nullptr;
  if (!recording) {
    std::string task = TaskOfState(r.inputs);
    if (!task.empty()) options.device = std::move(task);
  }
  std::vector<Value> values(r.inputs.size());
  TracedOperands traced(recording, *op, r.inputs);
  traced.Fill(values);
  SL_ASSIGN_OR_RETURN(const Device* device, traced.RunsOn());
  Value place;
  if (recording && TakesPlace(*op, values.size())) {
    place = recording->NextDraw(r.line);
  }
  std::optional<MutexLock> lock;
  if (building.locked != *graph) lock.emplace((*graph)->mu());
  for (size_t i = 0; i < r.inputs.size(); ++i) {
    const Operand& in = r.inputs[i];
    if (values[i]) continue;
    if (in.is_tensor() && in.tensor().symbolic()) {
      values[i] = in.tensor().value();
      continue;
    }
    Array value;
    if (in.is_tensor()) {
      SL_ASSIGN_OR_RETURN(value, KeptConstant(in.tensor().array()));
    } else {
      SL_ASSIGN_OR_RETURN(value, LiteralValue(r, *op, i));
    }
    if (value.dtype() == DType::kList) {
      SL_ASSIGN_OR_RETURN(values[i],
                          AddListConstant(**graph, region, value, options));
      continue;
    }
    SL_ASSIGN_OR_RETURN(
        Node * constant,
        (*graph)->Add(region, "Const", {}, {{"value", value}}, options));
    values[i] = constant->output();
  }
  if (place) values.push_back(place);
  options.device = RecordedDeviceName(device, options.device);
  options.name = r.name;
  options.name_hint = r.hint;
  // A constant has nothing to wait for.
  if (scoped && !r.without_controls && op->role != Role::kConst) {
    options.controls = building.controls;
  }
  SL_ASSIGN_OR_RETURN(
      Node * node, (*graph)->Add(region, op->name, values, *r.attrs, options));
  traced.Record(*node, r.line);
  return node;
}

}  // namespace

Operation AddNode(const NodeRequest& request) {
  Graph* graph = nullptr;
  Result<Node*> node = TryAddNode(request, &graph);
  if (node.ok()) return Operation(*graph, **node);
  Status status = node.status();
  // The graph's own errors say the line already.
  if (status.message().find('\n') == std::string::npos) {
    status = status.WithLine(StrCat("at ", request.line));
  }
  throw Error(status);
}

bool RunsNow(const std::vector<Tensor>& tensors) {
  if (Building::Current().graph) return false;
  for (const Tensor& t : tensors) {
    if (t.defined() && t.symbolic()) return false;
  }
  return true;
}

Operand Typed(std::string_view op, const Operand& operand, DType dtype) {
  if (operand.is_tensor()) return operand;
  Result<Array> value = operand.literal_value().As(dtype);
  if (value.ok()) return Operand(*value, operand.where());
  throw Error(InvalidArgument(StrCat("[", op, "] ", value.status().message()))
                  .WithLine(StrCat("at ", SourceLine::From(operand.where()))));
}

namespace {

NodeRequest RequestOf(std::string_view op, std::span<const Operand> inputs,
                      const Attrs& attrs, std::string_view name,
                      std::source_location where) {
  return {.op = op,
          .inputs = inputs,
          .attrs = &attrs,
          .name = name,
          .line = SourceLine::From(where)};
}

// `made` of the call, with its operands brought to the types it is computed in;
// its second argument is the type the result is to have again, and the name
// then.
template <class F>
auto Promoted(NodeRequest request, std::source_location where, const F& made) {
  std::vector<Operand> cast;
  if (autocast_type() != DType::kInvalid) [[unlikely]] {
    cast = AutocastOperands(request.op, request.inputs, where);
    if (!cast.empty()) request.inputs = cast;
  }
  std::optional<PromotedOperands> together;
  if (MayPromote(request.inputs)) {
    const OpRecord* op = FindOp(request.op);
    if (op) together = PromoteOperands(*op, request.inputs, where);
  }
  if (!together) return made(request, DType::kInvalid);
  request.inputs = together->operands;
  if (together->restored != DType::kInvalid) request.name = {};
  return made(request, together->restored);
}

Tensor Restored(Tensor made, DType dtype, std::string_view name,
                std::source_location where) {
  if (dtype == DType::kInvalid) return made;
  Operand operands[] = {std::move(made)};
  return CallOne("Cast", operands, {{"dtype", dtype}}, name, where);
}

}  // namespace

Operation CallOperation(std::string_view op, std::span<const Operand> inputs,
                        const Attrs& attrs, std::string_view name,
                        std::source_location where) {
  NodeRequest all = RequestOf(op, inputs, attrs, name, where);
  return Promoted(all, where, [](const NodeRequest& request, DType) {
    if (!RunsAtOnce(request)) return AddNode(request);
    EagerResults none;
    RunNow(request, none);
    return Operation();
  });
}

Tensor CallOne(std::string_view op, std::span<const Operand> inputs,
               const Attrs& attrs, std::string_view name,
               std::source_location where) {
  NodeRequest all = RequestOf(op, inputs, attrs, name, where);
  return Promoted(all, where, [&](const NodeRequest& request, DType dtype) {
    if (!RunsAtOnce(request)) {
      return Restored(AddNode(request).output(), dtype, name, where);
    }
    EagerResults results;
    RunNow(request, results);
    Tensor made = Restored(Tensor(std::move(results[0])), dtype, {}, where);
    if (!name.empty()) made.set_name(name);
    return made;
  });
}

std::vector<Tensor> CallMany(std::string_view op,
                             std::span<const Operand> inputs,
                             const Attrs& attrs, std::string_view name,
                             std::source_location where) {
  NodeRequest all = RequestOf(op, inputs, attrs, name, where);
  return Promoted(all, where, [&](const NodeRequest& request, DType dtype) {
    std::vector<Tensor> outputs;
    if (RunsAtOnce(request)) {
      EagerResults results;
      RunNow(request, results);
      for (EagerRef& r : results) outputs.push_back(Tensor(std::move(r)));
    } else {
      Operation made = AddNode(request);
      for (int i = 0; i < made.num_outputs(); ++i) {
        outputs.push_back(made.output(i));
      }
    }
    // The first is the value; others, such as indices, have types of their own.
    if (!outputs.empty()) outputs[0] = Restored(outputs[0], dtype, name, where);
    return outputs;
  });
}

}  // namespace front_internal

std::vector<Tensor> call(std::string_view op, OperandList inputs,
                         const Attrs& attrs, const CallOptions& options,
                         std::source_location where) {
  return front_internal::CallMany(op, inputs.list(), attrs, options.name,
                                  where);
}

}  // namespace sluice
