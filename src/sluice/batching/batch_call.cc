// Calls under batching. A call is replaced by the function's code. A recursive
// function becomes another function that takes the number of lanes: a branch
// that only some lanes take calls it with those.
#include "sluice/base/strings.h"
#include "sluice/batching/batcher.h"
#include "sluice/batching/lane_spread.h"

namespace sluice {

namespace {

// Handles are the same for all lanes.
bool TakesLanes(const Value& v) { return v.dtype() != DType::kResource; }

}  // namespace

// Its arguments: those of the function, all with lanes; captured values with
// lanes; and the number of lanes.
Node* Batcher::Specialise(BatchScope& scope, const Node& function,
                          const std::vector<Value>& captured) {
  Emitter& emit = scope.emit();
  Node* made = emit.Open("Function", {});
  if (!made) return nullptr;
  functions_[&function] = made;
  const Region& code = *function.regions()[0];
  Emitter inside = emit.NextRegion(*made);
  auto argument = [&](const ValueType& type) {
    Region& region = inside.region();
    Result<Value> arg =
        state_.graph.AddArg(region, StrCat("v", region.num_args()), type);
    if (!arg.ok()) emit.Fail(arg.status());
    return arg.ok() ? *arg : Value();
  };
  auto lanes_of = [&](const Value& v) -> ValueType {
    if (IsList(v)) return v.type();
    return {v.dtype(), WithLanes(v.shape(), kUnknownDim)};
  };
  std::vector<Lanes> args, given;
  for (int i = 0; emit.ok() && i < code.num_args(); ++i) {
    Value v = code.arg(i);
    bool lanes = TakesLanes(v);
    args.push_back(
        {argument(lanes ? lanes_of(v) : v.type()), lanes, IsList(v)});
  }
  for (const Value& v : captured) {
    given.push_back({argument(lanes_of(v)), true, IsList(v)});
  }
  Value count = argument({DType::kI64, PartialShape{1}});
  if (!emit.ok()) return nullptr;
  BatchScope own = BatchScope::OfFunction(inside, scope, count);
  for (size_t i = 0; i < args.size(); ++i) {
    own.Set(code.arg(static_cast<int>(i)), args[i]);
  }
  for (size_t i = 0; i < captured.size(); ++i) own.Set(captured[i], given[i]);
  Values results;
  for (const Lanes& lanes : RunRegion(own, code)) {
    results.push_back(own.Full(lanes));
  }
  if (!emit.ok()) return nullptr;
  state_.graph.SetResults(inside.region(), std::move(results));
  emit.Close(*made);
  return made;
}

void Batcher::RunCall(BatchScope& scope, const Node& node) {
  Emitter& emit = scope.emit();
  const Node& function = *node.input(0).node;
  if (function.op().flow != Flow::kFunction || function.regions().empty()) {
    emit.Fail(Refused(node, "calls what is no Function node"));
    return;
  }
  if (!NestedLanes(node).empty()) {
    RunNested(scope, node);
    return;
  }
  const Region& code = *function.regions()[0];
  auto known = functions_.find(&function);
  if (known == functions_.end() && !CallsItself(function)) {
    BatchScope own(emit, scope);
    for (int i = 0; i < code.num_args(); ++i) {
      own.Set(code.arg(i), scope.Find(node.input(i + 1)));
    }
    std::vector<Lanes> results = RunRegion(own, code);
    for (size_t i = 0; emit.ok() && i < results.size(); ++i) {
      scope.Set({const_cast<Node*>(&node), static_cast<int>(i)}, results[i]);
    }
    return;
  }
  std::vector<Value> captured;
  for (const Value& v : CapturedBy(function)) {
    if (scope.Batched(v)) captured.push_back(v);
  }
  bool outermost = known == functions_.end();
  Node* callee =
      outermost ? Specialise(scope, function, captured) : known->second;
  if (outermost) functions_.erase(&function);
  if (!callee) return;
  Values inputs{callee->output()};
  for (int i = 1; i < node.num_inputs(); ++i) {
    Value v = node.input(i);
    inputs.push_back(TakesLanes(v) ? scope.Full(v) : scope.Find(v).value);
  }
  for (const Value& v : captured) inputs.push_back(scope.Full(v));
  inputs.push_back(scope.count());
  Attrs attrs{{"dtypes", node.attrs().get<std::vector<DType>>("dtypes")}};
  Node* call = emit.Add("Call", inputs, attrs);
  if (call) SetLanes(scope, node, OutputsOf(*call));
}

}  // namespace sluice
