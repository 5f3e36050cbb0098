#include "op_call.h"

#include <mutex>

#include "caller_line.h"
#include "dtype.h"
#include "sluice/base/strings.h"
#include "sluice/front/call.h"
#include "sluice/front/eager_call.h"
#include "sluice/front/scope.h"
#include "sluice/graph/graph.h"
#include "sluice/op/registry.h"
#include "weak_numbers.h"

namespace sluice::py {

namespace {

// The declared input that operand i belongs to; null when there are too many.
const ArgSpec* SpecOf(const OpRecord& op, size_t operand, size_t count) {
  size_t next = 0;
  for (size_t k = 0; k < op.inputs.size(); ++k) {
    size_t after = op.inputs.size() - k - 1;
    size_t taken = !op.inputs[k].list     ? 1
                   : count > next + after ? count - next - after
                                          : 0;
    if (operand < next + taken) return &op.inputs[k];
    next += taken;
  }
  return nullptr;
}

// Of numbers that meet no tensor: Python's floats are f32.
DType WeakDefault(DType dtype) {
  return dtype == DType::kF64 ? DType::kF32 : dtype;
}

// The type that all operands of type variable `type` are computed in.
DType Common(const OpRecord& op, std::span<const Given> inputs,
             const std::string& type) {
  DType strong = DType::kInvalid, weak = DType::kInvalid;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const ArgSpec* spec = SpecOf(op, i, inputs.size());
    if (!spec || spec->type != type) continue;
    DType dtype = inputs[i].dtype();
    DType& into = inputs[i].weak ? weak : strong;
    into = into == DType::kInvalid ? dtype : Promote(into, dtype);
  }
  if (strong == DType::kInvalid) return WeakDefault(weak);
  if (weak != DType::kInvalid && NumberKind(weak) > NumberKind(strong)) {
    return WeakDefault(weak);
  }
  return strong;
}

// What an op takes in place of a type it does not take: floats for integers.
DType Accepted(const OpRecord& op, const std::string& type, DType dtype) {
  const TypeVar* var = op.FindType(type);
  if (!var || var->allowed.contains(dtype)) return dtype;
  if (IsInteger(dtype) || dtype == DType::kBool) {
    if (var->allowed.contains(DType::kI64)) return DType::kI64;
    if (var->allowed.contains(DType::kF32)) return DType::kF32;
  }
  return dtype;
}

// A number as another type, where that is the same number for C++: most calls
// with a number are x * 2 and x + 0.5.
template <class From>
bool NumberAs(const Array& number, DType dtype, Array* out) {
  From value = *number.data<From>();
  switch (dtype) {
    case DType::kF32:
      *out = Array::Scalar<float>(static_cast<float>(value));
      return true;
    case DType::kF64:
      *out = Array::Scalar<double>(static_cast<double>(value));
      return true;
    case DType::kI64:
      if constexpr (std::is_floating_point_v<From>) return false;
      *out = Array::Scalar<int64_t>(static_cast<int64_t>(value));
      return true;
    default:
      return false;
  }
}

Array ValueAs(const Array& value, DType dtype) {
  Array made;
  if (value.rank() == 0) {
    bool done =
        value.dtype() == DType::kF64   ? NumberAs<double>(value, dtype, &made)
        : value.dtype() == DType::kI64 ? NumberAs<int64_t>(value, dtype, &made)
                                       : false;
    if (done) return made;
  }
  return CastArray(value, dtype);
}

void Convert(Given& given, DType dtype) {
  if (given.dtype() == dtype) return;
  if (given.tensor) {
    given.tensor = CallOne("Cast", {std::move(given)}, {{"dtype", dtype}});
  } else {
    given.array = ValueAs(given.array, dtype);
  }
}

// Whether all operands that share a type have it already, as they mostly do.
bool Agree(const OpRecord& op, std::span<const Given> inputs) {
  if (op.inputs.size() != inputs.size()) return false;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].weak) return false;
    const std::string& type = op.inputs[i].type;
    const TypeVar* var = op.FindType(type);
    if (!var || !var->allowed.contains(inputs[i].dtype())) return false;
    for (size_t k = 0; k < i; ++k) {
      if (op.inputs[k].type == type && inputs[k].dtype() != inputs[i].dtype()) {
        return false;
      }
    }
  }
  return true;
}

void BringTogether(const OpRecord& op, std::span<Given> inputs,
                   const Attrs& attrs) {
  if (Agree(op, inputs)) return;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const ArgSpec* spec = SpecOf(op, i, inputs.size());
    if (!spec) continue;
    DType wanted = inputs[i].dtype();
    if (spec->type == "any") {
      if (inputs[i].weak) wanted = WeakDefault(wanted);
    } else if (DType fixed = DTypeFromName(spec->type);
               fixed != DType::kInvalid) {
      // Numbers of another size are as good; a bool is not a number.
      if (inputs[i].weak || (IsInteger(fixed) && IsInteger(wanted)) ||
          (IsFloating(fixed) && NumberKind(wanted) <= 2)) {
        wanted = fixed;
      }
    } else if (op.FindType(spec->type)) {
      wanted = Accepted(op, spec->type, Common(op, inputs, spec->type));
    } else if (const AttrValue* attr = attrs.find(spec->type);
               attr && attr->kind() == AttrKind::kDType) {
      wanted = attr->get<DType>();
    } else if (inputs[i].weak) {
      wanted = WeakDefault(wanted);
    }
    Convert(inputs[i], wanted);
  }
}

// Small calls are over before another thread of Python could begin anything.
constexpr int64_t kWorthReleasing = 16384;

bool RunsAtOnce(std::span<const Given> inputs) {
  if (front_internal::Building::Current().graph) return false;
  for (const Given& in : inputs) {
    if (in.tensor && in.tensor.symbolic()) return false;
  }
  return true;
}

void RunNow(const OpRecord& op, std::span<const Given> inputs,
            const Attrs& attrs, CallResult& result) {
  SmallVector<EagerValue*, 6> values;
  SmallVector<EagerRef, 2> literals;
  int64_t elements = 0;
  for (const Given& in : inputs) {
    if (in.tensor) {
      values.push_back(in.tensor.eager().get());
    } else {
      literals.push_back(MakeRef<EagerValue>(in.array));
      values.push_back(literals.back().get());
    }
    elements += values.back()->array.num_elements();
  }
  SourceLine line = PythonLine();
  EagerResults made;
  Status status;
  if (elements < kWorthReleasing && !op.async()) {
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

// The graph a call on these goes to; null when the library will refuse it.
Graph* GraphOf(std::span<const Operand> inputs) {
  if (Graph* open = front_internal::Building::Current().graph) return open;
  for (const Operand& in : inputs) {
    if (in.is_tensor() && in.tensor().symbolic()) return &in.tensor().graph();
  }
  return nullptr;
}

// Who holds the graph's lock may be waiting for the GIL, to call a gradient
// that the user wrote: nobody waits for the lock with the GIL in hand.
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

}  // namespace

const OpRecord& OpNamed(std::string_view name) {
  return *ValueOrThrow(LookupOp(name));
}

CallResult CallOp(const OpRecord& op, std::span<Given> inputs,
                  const Attrs& attrs, std::string_view name) {
  WeakNumbers::Mark(op, inputs);
  BringTogether(op, inputs, attrs);
  CallResult result;
  if (RunsAtOnce(inputs)) {
    RunNow(op, inputs, attrs, result);
    if (!name.empty() && !result.tensors.empty()) {
      result.tensors[0].set_name(name);
    }
    return result;
  }
  std::vector<Operand> operands;
  for (Given& in : inputs) {
    if (in.tensor) {
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
  return result;
}

Tensor CallOne(std::string_view op, std::vector<Given> inputs,
               const Attrs& attrs) {
  return std::move(CallOp(OpNamed(op), inputs, attrs).tensors[0]);
}

}  // namespace sluice::py
