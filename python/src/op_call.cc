#include "op_call.h"

#include <mutex>

#include "bring_together.h"
#include "caller_line.h"
#include "complex_calls.h"
#include "said_line.h"
#include "sluice/base/strings.h"
#include "sluice/eager/autocast.h"
#include "sluice/eager/call.h"
#include "sluice/eager/call_device.h"
#include "sluice/eager/eager_call.h"
#include "sluice/eager/scope.h"
#include "sluice/graph/graph.h"
#include "sluice/op/registry.h"
#include "weak_numbers.h"

namespace sluice::py {

namespace {

// Smaller calls end before another Python thread could do useful work.
constexpr int64_t kWorthReleasing = 16384;

bool RunsAtOnce(std::span<const Given> inputs) {
  if (front_internal::Building::Current().graph) return false;
  for (const Given& in : inputs) {
    if (in.tensor.defined() && in.tensor.symbolic()) return false;
  }
  return true;
}

void RunNow(const OpRecord& op, std::span<const Given> inputs,
            const Attrs& attrs, CallResult& result) {
  SmallVector<EagerValue*, 6> values;
  SmallVector<EagerRef, 2> literals;
  int64_t elements = 0;
  for (const Given& in : inputs) {
    if (in.tensor.defined()) {
      values.push_back(in.tensor.eager().get());
    } else {
      literals.push_back(MakeRef<EagerValue>(in.array));
      values.push_back(literals.back().get());
    }
    elements += values.back()->array.num_elements();
  }
  SourceLine line = PythonLine();
  EagerResults made;
  if (!literals.empty()) ThrowIfError(BringLiterals(op, values, literals));
  Status status;
  if (elements < kWorthReleasing && !op.async()) {
    SaidLine said(line);
    status = EagerCall(op, values, attrs, line, made);
  } else {
    ReleaseGil released;
    status = EagerCall(op, values, attrs, line, made);
  }
  if (!status.ok()) [[unlikely]] {
    throw Error(status.WithLine(CallLine(op, values, line)));
  }
  for (EagerRef& value : made) {
    result.tensors.push_back(Tensor(std::move(value)));
  }
}

// The graph that receives the call; null if the library will refuse it.
Graph* GraphOf(std::span<const Operand> inputs) {
  if (Graph* open = front_internal::Building::Current().graph) return open;
  for (const Operand& in : inputs) {
    if (in.is_tensor() && in.tensor().symbolic()) return &in.tensor().graph();
  }
  return nullptr;
}

// The holder of the graph's lock may be waiting for the GIL, to call a user's
// gradient: never wait for the lock while holding the GIL.
Operation AddUnlessLocked(const front_internal::NodeRequest& request) {
  Graph* graph = GraphOf(request.inputs);
  front_internal::Building& building = front_internal::Building::Current();
  if (!graph || building.locked == graph) {
    return front_internal::AddNode(request);
  }
  std::unique_lock lock(graph->mu().native(), std::try_to_lock);
  if (!lock) {
    ReleaseGil released;
    return front_internal::AddNode(request);
  }
  struct Restored {
    Graph*& place;
    Graph* before;
    ~Restored() { place = before; }
  } restored{building.locked, building.locked};
  building.locked = graph;
  return front_internal::AddNode(request);
}

// Casts results of an op's own type back to it.
void Restore(const OpRecord& op, DType dtype, CallResult& result) {
  for (size_t i = 0; i < result.tensors.size() && i < op.outputs.size(); ++i) {
    if (!op.FindType(op.outputs[i].type)) continue;
    Tensor& t = result.tensors[i];
    t = CallOne("Cast", {{t, {}, false}}, {{"dtype", dtype}});
  }
}

// As in eager/autocast.h. Numbers follow the tensors they are combined with.
void CastOperands(const OpRecord& op, std::span<Given> inputs) {
  if (inputs.empty() || !inputs[0].tensor.defined()) return;
  const DType first = inputs[0].tensor.dtype();
  for (size_t i = 0; i < inputs.size(); ++i) {
    Given& in = inputs[i];
    if (!in.tensor.defined() || in.weak) continue;
    DType own = in.tensor.dtype();
    DType to = front_internal::AutocastOperand(op, i, own, first);
    if (to == own) continue;
    in.tensor = CallOne("Cast", {{in.tensor, {}, false}}, {{"dtype", to}});
  }
}

}  // namespace

const OpRecord& OpNamed(std::string_view name) {
  return *ValueOrThrow(LookupOp(name));
}

CallResult CallOp(const OpRecord& op, std::span<Given> inputs,
                  const Attrs& attrs, std::string_view name) {
  WeakNumbers::Mark(op, inputs);
  for (Given& in : inputs) {
    // A size or number that is cast to a type has exactly that type.
    if (op.role == Role::kCast) in.weak = false;
  }
  if (autocast_type() != DType::kInvalid) [[unlikely]]
    CastOperands(op, inputs);
  CallResult result;
  if (MeetsComplex(op, inputs)) [[unlikely]] {
    if (CallOnParts(op, inputs, attrs, &result)) return result;
  }
  const DType restored = BringTogether(op, inputs, attrs);
  if (RunsAtOnce(inputs)) {
    RunNow(op, inputs, attrs, result);
    if (restored != DType::kInvalid) [[unlikely]]
      Restore(op, restored, result);
    if (!name.empty() && !result.tensors.empty()) {
      result.tensors[0].set_name(name);
    }
    return result;
  }
  std::vector<Operand> operands;
  for (Given& in : inputs) {
    if (in.tensor.defined()) {
      operands.push_back(Operand(std::move(in.tensor)));
    } else {
      operands.push_back(Operand(std::move(in.array)));
    }
  }
  front_internal::NodeRequest request;
  request.op = op.name;
  request.inputs = operands;
  request.attrs = &attrs;
  request.name = name;
  request.line = PythonLine();
  result.operation = AddUnlessLocked(request);
  for (int i = 0; i < result.operation.num_outputs(); ++i) {
    result.tensors.push_back(result.operation.output(i));
  }
  if (restored != DType::kInvalid) [[unlikely]]
    Restore(op, restored, result);
  return result;
}

Tensor CallOne(std::string_view op, std::vector<Given> inputs,
               const Attrs& attrs) {
  return std::move(CallOp(OpNamed(op), inputs, attrs).tensors[0]);
}

}  // namespace sluice::py
