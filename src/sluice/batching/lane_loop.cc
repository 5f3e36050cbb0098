// Ops without a rule run lane by lane: as separate ops for a small known number
// of lanes, else as a loop. Every lane must return the same sizes.
#include "sluice/base/strings.h"
#include "sluice/batching/batcher.h"
#include "sluice/batching/lane_code.h"

namespace sluice {

namespace {

using Values = Emitter::Values;

constexpr int64_t kMostUnrolled = 16;

// The results of one lane; tensors as rows.
Values OneLane(Emitter& emit, const LaneCode& code, Value lane,
               Value taken = {}) {
  Values rows = code.Run(emit, lane, taken);
  for (Value& out : rows) {
    if (!IsList(out)) out = emit.Expand(out, 0);
  }
  return rows;
}

// A loop over lanes that starts at index `first`.
struct LaneLoop {
  Emitter& emit;
  LaneCode& code;

  Values Run(int64_t first, Values carried, std::vector<PartialShape> shapes) {
    carried.insert(carried.begin(), emit.Int(first));
    shapes.insert(shapes.begin(), PartialShape::Scalar());
    if (!emit.ok()) return {};
    Value count = emit.ScalarOf(code.scope().count());
    Values last = emit.While(
        carried, shapes,
        [&](Emitter& e, const Values& args) -> Values {
          return {e.Call("Less", {args[0], count})};
        },
        [&](Emitter& e, const Values& args) { return Next(e, args); });
    if (last.empty()) return {};
    return {last.begin() + 1, last.end()};
  }

  // Rows must fit the storage that the first lane has allocated.
  void CheckSizes(Emitter& e, const Values& rows, const Values& args) {
    for (size_t i = 0; i < rows.size(); ++i) {
      if (!kPlain.contains(rows[i].dtype()) ||
          code.last().output_type(static_cast<int>(i)).shape.fully_known()) {
        continue;
      }
      Value same = e.Call(
          "All",
          {e.Call("Equal", {e.Sizes(rows[i], 1), e.Sizes(args[i + 1], 1)})});
      Node* check = e.Add(
          "Assert", Values{same},
          {{"message",
            StrCat("[", code.last().op().name,
                   "] gives some lanes of vmap another size than the first; "
                   "wanted one size for all, or something that makes it one, "
                   "such as a sum")}});
      if (check) e.state().controls.push_back(check);
    }
  }

  Values Next(Emitter& e, const Values& args) {
    Value lane = args[0], rest, taken;
    if (code.puts_back()) {
      Node* take =
          e.Add("ListTake", Values{args[1], lane},
                {{"dtype", DType::kList}, {"shape", PartialShape::Scalar()}});
      if (!take) return {};
      rest = take->output(0);
      taken = take->output(1);
    }
    Values rows = OneLane(e, code, lane, taken);
    CheckSizes(e, rows, args);
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

// All lanes, at least one. The first one determines the size of the results.
Values LoopOverLanes(Emitter& emit, LaneCode& code) {
  Values carried;
  std::vector<PartialShape> shapes;
  Values first = OneLane(emit, code, emit.Int(0));
  if (!emit.ok()) return {};
  for (size_t i = 0; i < first.size(); ++i) {
    Value room = first[i];
    if (IsList(room)) {
      bool back = i == 0 && code.puts_back();
      carried.push_back(
          back ? emit.Call("ListSet", {code.changed(), emit.Int(0), room})
               : emit.Call("ListAppend", {emit.NoLists(), room}));
      shapes.push_back(PartialShape::Scalar());
      continue;
    }
    if (kPlain.contains(room.dtype())) {
      room = emit.Call(
          "BroadcastTo",
          {room, emit.Join({code.scope().count(), emit.Sizes(room, 1)})});
    }
    carried.push_back(room);
    shapes.push_back(WithLanes(
        code.last().output_type(static_cast<int>(i)).shape, kUnknownDim));
  }
  return LaneLoop{emit, code}.Run(1, carried, shapes);
}

// The same for code whose only result is a changed input list.
Values ChangeLists(Emitter& emit, LaneCode& code) {
  return LaneLoop{emit, code}.Run(0, {code.changed()},
                                  {PartialShape::Scalar()});
}

// One copy of the code per lane.
Values Unroll(Emitter& emit, LaneCode& code, int64_t lanes) {
  std::vector<Values> columns(static_cast<size_t>(code.last().num_outputs()));
  for (const Values& parts : code.Unstacked(lanes)) {
    Values results = code.Run(emit, {}, {}, parts);
    if (!emit.ok()) return {};
    for (size_t i = 0; i < columns.size(); ++i) {
      columns[i].push_back(results[i]);
    }
  }
  Values stacked;
  for (const Values& column : columns) {
    stacked.push_back(emit.Call("Stack", column));
  }
  return stacked;
}

}  // namespace

void Batcher::RunLanes(BatchScope& scope, const Node& node) {
  Emitter& emit = scope.emit();
  for (int i = 0; i < node.num_outputs(); ++i) {
    DType dtype = node.output_type(i).dtype;
    if (kAnyData.contains(dtype) || dtype == DType::kList) continue;
    emit.Fail(Refused(node,
                      "makes a handle of lanes under vmap; wanted "
                      "tensors"));
    return;
  }
  std::vector<const Node*> nodes = sizes_->LeftTo(node);
  nodes.push_back(&node);
  for (const Node* one : nodes) {
    report_.lane_by_lane.push_back({one->op().name, one->line()});
  }
  LaneCode code(scope, std::move(nodes));
  int64_t lanes = scope.known_count();
  if (node.num_outputs() == 1 && code.puts_back()) {
    SetLanes(scope, node, ChangeLists(emit, code));
    return;
  }
  if (lanes > 0 && lanes <= kMostUnrolled && !code.lists()) {
    SetLanes(scope, node, Unroll(emit, code, lanes));
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
               [&](Emitter& e) { return LoopOverLanes(e, code); }));
}

}  // namespace sluice
