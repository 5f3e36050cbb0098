// Conditionals under batching. A predicate that is the same for all lanes gives
// one conditional. A predicate that differs partitions the lanes into groups,
// one per branch; each branch runs on its group, unless that is empty.
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

// A placeholder for values that the gradient reads of branches that do not run
// (autodiff/branch_gradient.cc), recognized by its unique shape.
Array Nothing(DType dtype) {
  Shape shape = *Shape::Make(std::vector<int64_t>(kMaxRank - 1, 0));
  return Array::Zeros(dtype, shape);
}

bool IsNothing(const Value& result) {
  if (result.node->is_args() || IsList(result)) return false;
  const Array* value = ConstantValue(result);
  return value && value->shape() == Nothing(value->dtype()).shape();
}

// The only branch that returns a value for this output; -1 if several do.
int OnlyGiver(const Node& node, size_t output) {
  int only = -1, others = 0;
  for (size_t k = 0; k < node.regions().size(); ++k) {
    if (IsNothing(node.regions()[k]->results()[output])) {
      ++others;
    } else {
      only = static_cast<int>(k);
    }
  }
  bool one = others + 1 == static_cast<int>(node.regions().size());
  return one && others > 0 ? only : -1;
}

// Scatters the rows of some lanes to their positions; zeros elsewhere.
Value InPlaces(Emitter& emit, const BatchScope& scope, Value rows,
               Value lanes) {
  Value zero = emit.Const(Array::Zeros(rows.dtype(), {}));
  Value room = emit.Call(
      "BroadcastTo", {zero, emit.Join({scope.count(), emit.Sizes(rows, 1)})});
  return emit.Call("IndexCopy", {room, lanes, rows});
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
  for (const auto& region : node.regions()) {
    scopes.emplace_back(emit.NextRegion(*branch), scope);
    results.push_back(RunRegion(scopes.back(), *region));
    if (!emit.ok()) return;
  }
  // A result with lanes in one branch has lanes in all.
  std::vector<LaneForm> forms;
  std::vector<Values> values(results.size());
  for (size_t i = 0; i < static_cast<size_t>(node.num_outputs()); ++i) {
    std::vector<BatchScope::Formed> all;
    for (size_t k = 0; k < results.size(); ++k) {
      all.push_back({node.regions()[k]->results()[i], results[k][i].form()});
    }
    forms.push_back(BatchScope::Joined(all));
    for (size_t k = 0; k < results.size(); ++k) {
      values[k].push_back(scopes[k].In(forms[i], results[k][i]));
    }
  }
  Values made = emit.CloseBranch(*branch, values);
  for (size_t i = 0; emit.ok() && i < made.size(); ++i) {
    scope.Set({const_cast<Node*>(&node), static_cast<int>(i)},
              LanesIn(made[i], forms[i]));
  }
}

void Batcher::RunLaneBranches(BatchScope& scope, const Node& node,
                              Value chooser) {
  Emitter& emit = scope.emit();
  for (int i = 0; i < node.num_outputs(); ++i) {
    DType dtype = node.output_type(i).dtype;
    if (kAnyData.contains(dtype) || dtype == DType::kList) continue;
    emit.Fail(Refused(node,
                      "gives a handle, and lanes choose different branches "
                      "under vmap; wanted tensors"));
    return;
  }
  Values picked = LanesOfBranches(scope, node, chooser);
  auto outputs = static_cast<size_t>(node.num_outputs());
  std::vector<int> only;
  for (size_t i = 0; i < outputs; ++i) only.push_back(OnlyGiver(node, i));
  Values found(outputs);
  Collected all;
  for (size_t k = 0; emit.ok() && k < picked.size(); ++k) {
    const Region& region = *node.regions()[k];
    // First the results of all branches, then those of this branch only.
    std::vector<size_t> given;
    for (size_t i = 0; i < outputs; ++i) {
      if (only[i] < 0) given.push_back(i);
    }
    size_t shared = given.size();
    for (size_t i = 0; i < outputs; ++i) {
      if (only[i] == static_cast<int>(k)) given.push_back(i);
    }
    Values rows = emit.If(
        emit.Call("LogicalNot", {emit.IsEmpty(picked[k])}),
        [&](Emitter& some) {
          BatchScope inside(some, scope, picked[k]);
          std::vector<Lanes> results = RunRegion(inside, region);
          Values full;
          for (size_t i = 0; some.ok() && i < given.size(); ++i) {
            Value rows = inside.Full(results[given[i]]);
            bool alone = i >= shared && !IsList(rows);
            full.push_back(alone ? InPlaces(some, scope, rows, picked[k])
                                 : rows);
          }
          return full;
        },
        [&](Emitter& none) {
          Values empty;
          for (size_t i = 0; i < given.size(); ++i) {
            const ValueType& type =
                node.output_type(static_cast<int>(given[i]));
            if (i < shared) {
              empty.push_back(none.NoRows(type.dtype, type.shape));
              continue;
            }
            BatchScope all_lanes(none, scope);
            empty.push_back(
                all_lanes.Full(Lanes{none.Const(Nothing(type.dtype)), false}));
          }
          return empty;
        });
    if (!emit.ok()) return;
    Collected group{Values(rows.begin(), rows.begin() + shared), picked[k]};
    all = k == 0 ? group : Append(emit, all, group);
    for (size_t i = shared; i < given.size(); ++i) {
      found[given[i]] = rows[i];
    }
  }
  Values ordered = InOrder(emit, all);
  for (size_t i = 0, next = 0; emit.ok() && i < outputs; ++i) {
    if (only[i] < 0) found[i] = ordered[next++];
  }
  SetLanes(scope, node, found);
}

}  // namespace sluice
