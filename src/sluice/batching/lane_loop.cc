// Ops without a rule: one lane after the other. A few lanes, when their number
// is known, as that many ops; else as a loop. Every lane must give results of
// the same sizes.
#include "sluice/batching/batcher.h"

namespace sluice {

namespace {

using Values = Emitter::Values;

constexpr int64_t kMostUnrolled = 16;

void Unroll(Emitter& emit, NodeBatchContext& c, int64_t lanes,
            std::vector<Values>& results) {
  std::vector<Values> parts(static_cast<size_t>(c.num_inputs()));
  for (int i = 0; i < c.num_inputs(); ++i) {
    if (!c.batched(i)) continue;
    Node* node = emit.Add("Unstack", Values{c.value(i)}, {{"num", lanes}});
    if (!node) return;
    parts[static_cast<size_t>(i)] = OutputsOf(*node);
  }
  for (int64_t lane = 0; lane < lanes; ++lane) {
    Values inputs;
    for (int i = 0; i < c.num_inputs(); ++i) {
      inputs.push_back(
          c.batched(i)
              ? parts[static_cast<size_t>(i)][static_cast<size_t>(lane)]
              : c.value(i));
    }
    Node* node = emit.Add(c.node().op().name, inputs, c.attrs());
    if (!node) return;
    results.push_back(OutputsOf(*node));
  }
}

// What one lane has of the inputs; `boxes` are those that are lists. `taken`
// is input 0, when that is there already.
Values InputsOf(Emitter& emit, NodeBatchContext& c, const Values& boxes,
                Value lane, Value taken = {}) {
  Values inputs;
  for (int i = 0; i < c.num_inputs(); ++i) {
    if (i == 0 && taken) {
      inputs.push_back(taken);
    } else if (!c.batched(i)) {
      inputs.push_back(c.value(i));
    } else if (Value box = boxes[static_cast<size_t>(i)]) {
      inputs.push_back(emit.Call(
          "ListGet", {box, lane},
          {{"dtype", DType::kList}, {"shape", PartialShape::Scalar()}}));
    } else {
      inputs.push_back(emit.Gather(c.value(i), lane));
      // As much as was known of one example.
      emit.Refine(inputs.back(), c.example(i));
    }
  }
  return inputs;
}

// The results of one lane: of tensors, as rows.
Values OneLane(Emitter& emit, NodeBatchContext& c, const Values& inputs) {
  Node* node = emit.Add(c.node().op().name, inputs, c.attrs());
  Values rows;
  for (int i = 0; node && i < node->num_outputs(); ++i) {
    Value out = node->output(i);
    rows.push_back(IsList(out) ? out : emit.Expand(out, 0));
  }
  return rows;
}

// A loop over lanes from number `first` on.
struct LaneLoop {
  Emitter& emit;
  NodeBatchContext& c;
  Values boxes;

  // A list that the op changes is taken out of its box and put back: nobody
  // else holds it meanwhile, so that it is changed where it is.
  bool puts_back() const {
    return !boxes.empty() && boxes[0] && c.node().op().cpu().in_place &&
           c.node().output_type(0).dtype == DType::kList;
  }

  Values Run(int64_t first, Values carried, std::vector<PartialShape> shapes) {
    carried.insert(carried.begin(), emit.Int(first));
    shapes.insert(shapes.begin(), PartialShape::Scalar());
    if (!emit.ok()) return {};
    Value count = emit.ScalarOf(c.scope().count());
    Values last = emit.While(
        carried, shapes,
        [&](Emitter& e, const Values& args) -> Values {
          return {e.Call("Less", {args[0], count})};
        },
        [&](Emitter& e, const Values& args) { return Next(e, args); });
    if (last.empty()) return {};
    return {last.begin() + 1, last.end()};
  }

  Values Next(Emitter& e, const Values& args) {
    Value lane = args[0], rest, taken;
    if (puts_back()) {
      Node* take =
          e.Add("ListTake", Values{args[1], lane},
                {{"dtype", DType::kList}, {"shape", PartialShape::Scalar()}});
      if (!take) return {};
      rest = take->output(0);
      taken = take->output(1);
    }
    Values inputs = InputsOf(e, c, boxes, lane, taken);
    Values rows = OneLane(e, c, inputs);
    Values next{e.Call("Add", {lane, e.Int(1)})};
    Value at = e.Expand(lane, 0);
    for (size_t i = 0; i < rows.size(); ++i) {
      if (i == 0 && rest) {
        next.push_back(e.Call("ListSet", {rest, lane, rows[i]}));
      } else if (IsList(rows[i])) {
        next.push_back(e.Call("ListAppend", {args[i + 1], rows[i]}));
      } else if (kPlain.contains(rows[i].dtype())) {
        next.push_back(e.Call("IndexCopy", {args[i + 1], at, rows[i]}));
      } else {
        next.push_back(e.Call("Concat", {args[i + 1], rows[i]}));
      }
    }
    return next;
  }
};

// All lanes, of which there is at least one. The first makes room for all.
Values LoopOverLanes(Emitter& emit, NodeBatchContext& c, const Values& boxes) {
  Values carried;
  std::vector<PartialShape> shapes;
  LaneLoop loop{emit, c, boxes};
  Values first = OneLane(emit, c, InputsOf(emit, c, boxes, emit.Int(0)));
  if (!emit.ok()) return {};
  for (size_t i = 0; i < first.size(); ++i) {
    Value room = first[i];
    if (IsList(room)) {
      bool back = i == 0 && loop.puts_back();
      carried.push_back(
          back ? emit.Call("ListSet", {boxes[0], emit.Int(0), room})
               : emit.Call("ListAppend", {emit.NoLists(), room}));
      shapes.push_back(PartialShape::Scalar());
      continue;
    }
    if (kPlain.contains(room.dtype())) {
      room = emit.Call(
          "BroadcastTo",
          {room, emit.Join({c.scope().count(), emit.Sizes(room, 1)})});
    }
    carried.push_back(room);
    shapes.push_back(WithLanes(c.node().output_type(static_cast<int>(i)).shape,
                               kUnknownDim));
  }
  return loop.Run(1, carried, shapes);
}

// The same for what gives nothing but one list that it was given, changed.
Values ChangeLists(Emitter& emit, NodeBatchContext& c, const Values& boxes) {
  return LaneLoop{emit, c, boxes}.Run(0, {boxes[0]}, {PartialShape::Scalar()});
}

}  // namespace

void Batcher::RunLanes(BatchScope& scope, const Node& node) {
  Emitter& emit = scope.emit();
  NodeBatchContext c(scope, node);
  bool lists = false;
  for (int i = 0; i < node.num_outputs(); ++i) {
    DType dtype = node.output_type(i).dtype;
    lists = lists || dtype == DType::kList;
    if (kAnyData.contains(dtype) || dtype == DType::kList) continue;
    emit.Fail(Refused(node,
                      "makes a handle of lanes under vmap; wanted "
                      "tensors"));
    return;
  }
  Values boxes(static_cast<size_t>(c.num_inputs()));
  for (int i = 0; i < c.num_inputs(); ++i) {
    if (!c.batched(i) || !IsList(c.value(i))) continue;
    boxes[static_cast<size_t>(i)] = scope.Full(c.given(i));
    lists = true;
  }
  report_.lane_by_lane.push_back({node.op().name, node.line()});
  int64_t lanes = scope.known_count();
  if (!boxes.empty() && boxes[0] && node.num_outputs() == 1 &&
      LaneLoop{emit, c, boxes}.puts_back()) {
    SetLanes(scope, node, ChangeLists(emit, c, boxes));
    return;
  }
  if (lanes > 0 && lanes <= kMostUnrolled && !lists) {
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
               [&](Emitter& e) { return LoopOverLanes(e, c, boxes); }));
}

}  // namespace sluice
