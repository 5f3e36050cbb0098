// Conditionals under batching. One choice for all lanes stays one conditional.
// A choice of each lane's own cuts the lanes into groups, one per branch; each
// branch runs on its group, and not at all when that is empty.
#include "sluice/base/strings.h"
#include "sluice/batching/batcher.h"
#include "sluice/batching/collect.h"

namespace sluice {

namespace {

using Values = Emitter::Values;

Value Both(Emitter& emit, std::string_view op, Value a, Value b) {
  return emit.Call(op, {a, b});
}

// For each region, the lanes that take it.
Values LanesOfBranches(BatchScope& scope, const Node& node, Value chooser) {
  Emitter& emit = scope.emit();
  if (chooser.dtype() == DType::kBool) {
    Value other = emit.Call("LogicalNot", {chooser});
    return {emit.Where(chooser), emit.Where(other)};
  }
  auto number = [&](int64_t k) {
    return chooser.dtype() == DType::kI32
               ? emit.Const(Array::Scalar(static_cast<int32_t>(k)))
               : emit.Int(k);
  };
  auto count = static_cast<int64_t>(node.regions().size());
  bool has_default = node.attrs().get<bool>("has_default");
  Value inside =
      Both(emit, "LogicalAnd", Both(emit, "GreaterEqual", chooser, number(0)),
           Both(emit, "Less", chooser, number(count)));
  if (!has_default) {
    Node* check = emit.Add(
        "Assert", Values{inside, chooser},
        {{"message", StrCat("an index of a lane is out of range; wanted one "
                            "of the ",
                            count, " branches, 0 to ", count - 1)}});
    if (check) emit.state().controls.push_back(check);
  }
  Values picked;
  for (int64_t k = 0; k < count; ++k) {
    Value here = Both(emit, "Equal", chooser, number(k));
    if (has_default && k == count - 1) {
      here = Both(emit, "LogicalOr", here, emit.Call("LogicalNot", {inside}));
    }
    picked.push_back(emit.Where(here));
  }
  return picked;
}

}  // namespace

void Batcher::RunBranch(BatchScope& scope, const Node& node) {
  Lanes chooser = scope.Find(node.input(0));
  Emitter& emit = scope.emit();
  if (!emit.ok()) return;
  if (chooser.batched) {
    RunLaneBranches(scope, node, chooser.value);
    return;
  }
  Node* branch = emit.OpenBranch(node.op().name, chooser.value, node.attrs());
  if (!branch) return;
  std::vector<BatchScope> scopes;
  std::vector<std::vector<Lanes>> results;
  std::vector<bool> batched(static_cast<size_t>(node.num_outputs()), false);
  for (const auto& region : node.regions()) {
    scopes.emplace_back(emit.NextRegion(*branch), scope);
    results.push_back(RunRegion(scopes.back(), *region));
    if (!emit.ok()) return;
    for (size_t i = 0; i < batched.size(); ++i) {
      batched[i] = batched[i] || results.back()[i].batched;
    }
  }
  // What has lanes in one branch has lanes in all.
  std::vector<Values> values(results.size());
  for (size_t k = 0; k < results.size(); ++k) {
    for (size_t i = 0; i < batched.size(); ++i) {
      values[k].push_back(batched[i] ? scopes[k].Full(results[k][i])
                                     : results[k][i].value);
    }
  }
  Values made = emit.CloseBranch(*branch, values);
  for (size_t i = 0; emit.ok() && i < made.size(); ++i) {
    scope.Set({const_cast<Node*>(&node), static_cast<int>(i)},
              {made[i], batched[i]});
  }
}

void Batcher::RunLaneBranches(BatchScope& scope, const Node& node,
                              Value chooser) {
  Emitter& emit = scope.emit();
  for (int i = 0; i < node.num_outputs(); ++i) {
    if (kAnyData.contains(node.output_type(i).dtype)) continue;
    emit.Fail(Refused(node,
                      "gives a list or a handle, and lanes choose "
                      "different branches under vmap; wanted tensors"));
    return;
  }
  Values picked = LanesOfBranches(scope, node, chooser);
  Collected all;
  for (size_t k = 0; emit.ok() && k < picked.size(); ++k) {
    const Region& region = *node.regions()[k];
    Collected group;
    group.lanes = picked[k];
    group.rows = emit.If(
        emit.Call("LogicalNot", {emit.IsEmpty(picked[k])}),
        [&](Emitter& some) {
          BatchScope inside(some, scope, picked[k]);
          Values rows;
          for (const Lanes& lanes : RunRegion(inside, region)) {
            rows.push_back(inside.Full(lanes));
          }
          return rows;
        },
        [&](Emitter& none) {
          Values rows;
          for (int i = 0; i < node.num_outputs(); ++i) {
            const ValueType& type = node.output_type(i);
            rows.push_back(none.NoRows(type.dtype, type.shape));
          }
          return rows;
        });
    all = k == 0 ? group : Append(emit, all, group);
  }
  SetLanes(scope, node, InOrder(emit, all));
}

}  // namespace sluice
