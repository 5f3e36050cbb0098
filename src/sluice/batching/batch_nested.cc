// A vmap inside batched code: every pair of an outer and an inner lane becomes
// a lane, outer ones first. Lists contain the inner lanes' lists, whatever form
// they have for the outer ones.
#include "sluice/batching/batcher.h"
#include "sluice/batching/lane_spread.h"

namespace sluice {

namespace {

using Values = Emitter::Values;

Attrs OfLists() {
  return {{"dtype", DType::kList}, {"shape", PartialShape::Scalar()}};
}

// The number of inner lanes: a vector with one element.
Value InnerCount(Emitter& emit, const std::vector<Lanes>& args,
                 const std::vector<int64_t>& nested) {
  for (size_t i = 0; i < args.size(); ++i) {
    if (!nested[i] || IsList(args[i].value)) continue;
    return emit.Sizes(args[i].value, args[i].batched ? 1 : 0, 1);
  }
  for (size_t i = 0; i < args.size(); ++i) {
    if (!nested[i]) continue;
    Value list = args[i].value;
    if (args[i].batched) {
      list = emit.Call("ListGet", {list, emit.Int(0)}, OfLists());
    }
    return emit.Expand(emit.Call("ListSize", {list}), 0);
  }
  return {};
}

// Concatenates the lists in a list of lists.
Value Flattened(Emitter& emit, Value lists, Value outer) {
  Value count = emit.ScalarOf(outer);
  Values last = emit.While(
      {emit.Int(0), emit.NoLists()},
      {PartialShape::Scalar(), PartialShape::Scalar()},
      [&](Emitter& e, const Values& args) -> Values {
        return {e.Call("Less", {args[0], count})};
      },
      [&](Emitter& e, const Values& args) -> Values {
        Value more = e.Call("ListGet", {lists, args[0]}, OfLists());
        return {e.Call("Add", {args[0], e.Int(1)}), e.JoinLanes(args[1], more)};
      });
  return last.empty() ? Value() : last[1];
}

// The inverse: groups of equal length.
Value Grouped(Emitter& emit, Value lists, Value outer, Value inner) {
  Value count = emit.ScalarOf(outer), size = emit.ScalarOf(inner);
  Values last = emit.While(
      {emit.Int(0), emit.NoLists()},
      {PartialShape::Scalar(), PartialShape::Scalar()},
      [&](Emitter& e, const Values& args) -> Values {
        return {e.Call("Less", {args[0], count})};
      },
      [&](Emitter& e, const Values& args) -> Values {
        Value first = e.Call("Mul", {args[0], size});
        Value end = e.Call("Add", {first, size});
        Value range = e.Call("Range", {first, end, e.Int(1)});
        return {e.Call("Add", {args[0], e.Int(1)}),
                e.Call("ListAppend",
                       {args[1], e.Call("ListSelect", {lists, range})})};
      });
  return last.empty() ? Value() : last[1];
}

}  // namespace

void Batcher::RunNested(BatchScope& scope, const Node& node) {
  Emitter& emit = scope.emit();
  const std::vector<int64_t>& nested = NestedLanes(node);
  const Region& code = *node.input(0).node->regions()[0];
  LaneSpread spread(scope);
  bool outer = spread.OfNested(node);
  std::vector<Lanes> args;
  for (size_t i = 0; i < nested.size(); ++i) {
    args.push_back(scope.Find(node.input(static_cast<int>(i) + 1)));
    // A list with lanes is boxed, whatever form it has for the inner lanes.
    if (IsList(args[i].value) && args[i].batched) {
      args[i] = {scope.Full(args[i]), true, true};
    }
  }
  Value inner = InnerCount(emit, args, nested);
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
      bool lanes = nested[i] != 0;
      own.Set(code.arg(static_cast<int>(i)),
              {args[i].value, lanes, lanes && IsList(args[i].value)});
    }
    Values rows = run(own);
    for (size_t i = 0; emit.ok() && i < rows.size(); ++i) {
      scope.Set({const_cast<Node*>(&node), static_cast<int>(i)},
                {rows[i], false});
    }
    return;
  }
  Value all = emit.Times(scope.count(), inner);
  Value both_counts = emit.Join({scope.count(), inner});
  // For each combined lane: the index of its outer lane, and of its inner one.
  auto numbers = [&](Value count, int axis) {
    Value number =
        emit.Call("Range", {emit.Int(0), emit.ScalarOf(count), emit.Int(1)});
    return emit.Reshape(
        emit.Call("BroadcastTo", {emit.Expand(number, axis), both_counts}),
        all);
  };
  BatchScope own(emit, scope, numbers(scope.count(), 1));
  for (size_t i = 0; i < args.size(); ++i) {
    Value arg = code.arg(static_cast<int>(i));
    bool list = IsList(arg);
    if (!nested[i]) {
      // The same for all inner lanes, with any form for the outer ones.
      Value of_outer = args[i].value;
      if (args[i].batched) of_outer = own.FromOuter(of_outer);
      own.Set(arg, {of_outer, args[i].batched, args[i].boxed});
      continue;
    }
    if (list) {
      Value lists = args[i].batched
                        ? Flattened(emit, args[i].value, scope.count())
                        : emit.PickLanes(args[i].value, numbers(inner, 0));
      own.Set(arg, {lists, true, true});
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
    v = IsList(v) ? Grouped(emit, v, scope.count(), inner)
                  : emit.Reshape(
                        v, emit.Join({scope.count(), inner, emit.Sizes(v, 1)}));
  }
  SetLanes(scope, node, rows);
}

}  // namespace sluice
