// Ops without a rule: one lane after the other. A few lanes, when their number
// is known, as that many ops; else as a loop. Every lane must give results of
// the same sizes.
#include "sluice/batching/batcher.h"

namespace sluice {

namespace {

using Values = Emitter::Values;

constexpr int64_t kMostUnrolled = 16;

void Unroll(Emitter& emit, const BatchContext& c, int64_t lanes,
            std::vector<Values>& results) {
  std::vector<Values> parts(static_cast<size_t>(c.num_inputs()));
  for (int i = 0; i < c.num_inputs(); ++i) {
    if (!c.batched(i)) continue;
    Node* node = emit.Add("Unstack", Values{c.in(i)}, {{"num", lanes}});
    if (!node) return;
    parts[static_cast<size_t>(i)] = OutputsOf(*node);
  }
  for (int64_t lane = 0; lane < lanes; ++lane) {
    Values inputs;
    for (int i = 0; i < c.num_inputs(); ++i) {
      inputs.push_back(
          c.batched(i)
              ? parts[static_cast<size_t>(i)][static_cast<size_t>(lane)]
              : c.in(i));
    }
    Node* node = emit.Add(c.node().op().name, inputs, c.attrs());
    if (!node) return;
    results.push_back(OutputsOf(*node));
  }
}

// The results of one lane, as rows.
Values OneLane(Emitter& emit, const BatchContext& c, Value lane) {
  Values inputs;
  for (int i = 0; i < c.num_inputs(); ++i) {
    inputs.push_back(c.batched(i) ? emit.Gather(c.in(i), lane) : c.in(i));
    if (c.batched(i)) {
      // As much as was known of one example.
      emit.Refine(inputs.back(), c.example(i));
    }
  }
  Node* node = emit.Add(c.node().op().name, inputs, c.attrs());
  Values rows;
  for (int i = 0; node && i < node->num_outputs(); ++i) {
    rows.push_back(emit.Expand(node->output(i), 0));
  }
  return rows;
}

// All lanes, of which there is at least one. The first makes room for all.
Values LoopOverLanes(Emitter& emit, const BatchContext& c) {
  Values carried{emit.Int(1)};
  std::vector<PartialShape> shapes{PartialShape::Scalar()};
  Values first = OneLane(emit, c, emit.Int(0));
  if (!emit.ok()) return {};
  for (size_t i = 0; i < first.size(); ++i) {
    Value room = first[i];
    if (kPlain.contains(room.dtype())) {
      room = emit.Call("BroadcastTo",
                       {room, emit.Join({c.lanes(), emit.Sizes(room, 1)})});
    }
    carried.push_back(room);
    shapes.push_back(WithLanes(c.node().output_type(static_cast<int>(i)).shape,
                               kUnknownDim));
  }
  if (!emit.ok()) return {};
  Value count = emit.ScalarOf(c.lanes());
  Values last = emit.While(
      carried, shapes,
      [&](Emitter& e, const Values& args) -> Values {
        return {e.Call("Less", {args[0], count})};
      },
      [&](Emitter& e, const Values& args) -> Values {
        Values rows = OneLane(e, c, args[0]);
        Values next{e.Call("Add", {args[0], e.Int(1)})};
        Value at = e.Expand(args[0], 0);
        for (size_t i = 0; i < rows.size(); ++i) {
          next.push_back(kPlain.contains(rows[i].dtype())
                             ? e.Call("IndexCopy", {args[i + 1], at, rows[i]})
                             : e.Call("Concat", {args[i + 1], rows[i]}));
        }
        return next;
      });
  if (last.empty()) return {};
  return {last.begin() + 1, last.end()};
}

}  // namespace

void Batcher::RunLanes(BatchScope& scope, const Node& node) {
  Emitter& emit = scope.emit();
  BatchContext c(scope, node);
  for (int i = 0; i < node.num_outputs(); ++i) {
    if (kAnyData.contains(node.output_type(i).dtype)) continue;
    emit.Fail(Refused(node,
                      "makes a list or a handle of lanes under vmap; "
                      "wanted tensors"));
    return;
  }
  for (int i = 0; i < c.num_inputs(); ++i) {
    if (!c.batched(i) || kAnyData.contains(c.in(i).dtype())) continue;
    emit.Fail(Refused(node,
                      "takes a list with elements of lanes, which has no "
                      "meaning here under vmap; wanted its stack()"));
    return;
  }
  report_.lane_by_lane.push_back({node.op().name, node.line()});
  int64_t lanes = scope.known_count();
  if (lanes > 0 && lanes <= kMostUnrolled) {
    std::vector<Values> results;
    Unroll(emit, c, lanes, results);
    if (!emit.ok()) return;
    Values stacked;
    for (int i = 0; i < node.num_outputs(); ++i) {
      Values column;
      for (const Values& row : results) {
        column.push_back(row[static_cast<size_t>(i)]);
      }
      stacked.push_back(emit.Call("Stack", column));
    }
    SetLanes(scope, node, stacked);
    return;
  }
  Value none = emit.Call("Equal", {emit.ScalarOf(scope.count()), emit.Int(0)});
  SetLanes(scope, node,
           emit.If(
               none,
               [&](Emitter& e) {
                 Values rows;
                 for (int i = 0; i < node.num_outputs(); ++i) {
                   const ValueType& type = node.output_type(i);
                   rows.push_back(e.NoRows(type.dtype, type.shape));
                 }
                 return rows;
               },
               [&](Emitter& e) { return LoopOverLanes(e, c); }));
}

}  // namespace sluice
