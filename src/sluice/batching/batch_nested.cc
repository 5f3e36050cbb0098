// A vmap inside batched code: every lane of the inner one in every lane of the
// outer one becomes a lane, outer ones first.
#include "sluice/batching/batcher.h"
#include "sluice/batching/lane_spread.h"

namespace sluice {

void Batcher::RunNested(BatchScope& scope, const Node& node,
                        const NestedCall& nested) {
  Emitter& emit = scope.emit();
  const Region& code = *node.input(0).node->regions()[0];
  LaneSpread spread(scope, nested_);
  bool outer = spread.OfNested(node);
  std::vector<Lanes> args;
  Value inner;  // how many lanes the inner one has
  for (size_t i = 0; i < nested.batched.size(); ++i) {
    args.push_back(scope.Find(node.input(static_cast<int>(i) + 1)));
    if (nested.batched[i] && !inner) {
      inner = emit.Sizes(args[i].value, args[i].batched ? 1 : 0, 1);
    }
  }
  auto run = [&](BatchScope& own) {
    Values rows;
    for (const Lanes& lanes : RunRegion(own, code)) {
      rows.push_back(own.Full(lanes));
    }
    return rows;
  };
  if (!outer) {
    BatchScope own = BatchScope::OfFunction(emit, scope, inner);
    for (size_t i = 0; i < args.size(); ++i) {
      own.Set(code.arg(static_cast<int>(i)),
              {args[i].value, nested.batched[i]});
    }
    Values rows = run(own);
    for (size_t i = 0; emit.ok() && i < rows.size(); ++i) {
      scope.Set({const_cast<Node*>(&node), static_cast<int>(i)},
                {rows[i], false});
    }
    return;
  }
  Value all = emit.Times(scope.count(), inner);
  Value number = emit.Call(
      "Range", {emit.Int(0), emit.ScalarOf(scope.count()), emit.Int(1)});
  Value numbers = emit.Call("BroadcastTo", {emit.Expand(number, 1),
                                            emit.Join({scope.count(), inner})});
  BatchScope own(emit, scope, emit.Reshape(numbers, all));
  for (size_t i = 0; i < args.size(); ++i) {
    Value arg = code.arg(static_cast<int>(i));
    if (!nested.batched[i]) {
      // The same for the inner lanes, whatever it is for the outer ones.
      Value of_outer = args[i].value;
      if (args[i].batched) of_outer = own.FromOuter(of_outer);
      own.Set(arg, {of_outer, args[i].batched});
      continue;
    }
    Value both = scope.Full(args[i]);
    Value merged = emit.Reshape(both, emit.Join({all, emit.Sizes(both, 2)}));
    emit.Refine(merged, WithLanes(arg.shape(), kUnknownDim));
    own.Set(arg, {merged, true});
  }
  Values rows = run(own);
  if (!emit.ok()) return;
  for (Value& v : rows) {
    v = emit.Reshape(v, emit.Join({scope.count(), inner, emit.Sizes(v, 1)}));
  }
  SetLanes(scope, node, rows);
}

}  // namespace sluice
