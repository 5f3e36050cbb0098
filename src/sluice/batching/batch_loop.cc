// Loops under batching. If all lanes run the same number of iterations, the
// loop keeps its form, on all lanes. Otherwise it runs while a lane is live, on
// the live lanes only: a lane whose condition is false leaves with its carried
// values.
#include "sluice/batching/batcher.h"
#include "sluice/batching/collect.h"
#include "sluice/batching/lane_spread.h"

namespace sluice {

namespace {

using Values = Emitter::Values;

// The carried values of a loop of live lanes, and their positions in the list.
struct Live {
  Values carried;   // of the user's loop
  Values captured;  // outer values with lanes that it reads
  Value lanes;      // indices of the live lanes
  Collected ended;  // carried values of finished lanes

  Values List() const {
    Values all = carried;
    all.insert(all.end(), captured.begin(), captured.end());
    all.push_back(lanes);
    all.push_back(ended.lanes);
    all.insert(all.end(), ended.rows.begin(), ended.rows.end());
    return all;
  }
  // The same for another list of equal length.
  Live Of(const Values& list) const {
    Live made;
    if (list.empty()) return made;
    auto at = list.begin();
    auto take = [&](size_t count) {
      Values part(at, at + static_cast<int64_t>(count));
      at += static_cast<int64_t>(count);
      return part;
    };
    made.carried = take(carried.size());
    made.captured = take(captured.size());
    made.lanes = take(1)[0];
    made.ended.lanes = take(1)[0];
    made.ended.rows = take(ended.rows.size());
    return made;
  }
};

PartialShape AnyLanes(const PartialShape& shape) {
  return WithLanes(shape, kUnknownDim);
}

// A loop whose lanes finish one by one.
struct LiveLoop {
  LiveLoop(BatchScope& around, const Node& loop,
           const std::vector<LaneForm>& carried)
      : scope(around), node(loop), forms(carried) {
    for (const Value& v : CapturedBy(node)) {
      if (scope.Batched(v)) outside.push_back(v);
    }
    for (LaneForm form : forms) batched.push_back(form != LaneForm::kSingle);
  }

  // Initially all lanes are live. Also returns the shapes of carried values.
  Live Start(std::vector<PartialShape>& shapes) const {
    Emitter& emit = scope.emit();
    const Region& body = *node.regions()[1];
    Live start;
    std::vector<PartialShape> ended_shapes;
    for (size_t i = 0; i < batched.size(); ++i) {
      int k = static_cast<int>(i);
      const PartialShape& shape = body.arg(k).shape();
      bool list = IsList(body.arg(k));
      Lanes init = scope.Find(node.input(k));
      start.carried.push_back(scope.In(forms[i], init));
      shapes.push_back(batched[i] && !list ? AnyLanes(shape) : shape);
      start.ended.rows.push_back(
          list ? emit.NoLists()
               : emit.Call("StridedSlice", {scope.Full(init)},
                           {{"begin", std::vector<int64_t>{0}},
                            {"end", std::vector<int64_t>{0}},
                            {"strides", std::vector<int64_t>{1}}}));
      ended_shapes.push_back(list ? PartialShape::Scalar() : AnyLanes(shape));
    }
    for (const Value& v : outside) {
      Lanes found = scope.Find(v);
      start.captured.push_back(IsList(v) ? scope.Full(found) : found.value);
      shapes.push_back(IsList(v) ? PartialShape::Scalar()
                                 : AnyLanes(v.shape()));
    }
    start.lanes = emit.Call(
        "Range", {emit.Int(0), emit.ScalarOf(scope.count()), emit.Int(1)});
    start.ended.lanes = emit.Ints({});
    shapes.insert(shapes.end(), 2, PartialShape{kUnknownDim});
    shapes.insert(shapes.end(), ended_shapes.begin(), ended_shapes.end());
    return start;
  }

  // Enters the values that a region sees of live lanes.
  void Enter(BatchScope& own, const Region& region, const Live& live) const {
    for (size_t i = 0; i < batched.size(); ++i) {
      own.Set(region.arg(static_cast<int>(i)),
              LanesIn(live.carried[i], forms[i]));
    }
    for (size_t i = 0; i < outside.size(); ++i) {
      own.Set(outside[i], {live.captured[i], true, IsList(outside[i])});
    }
  }

  // The carried rows; `which` selects some of the live lanes, none means all.
  Values RowsOf(Emitter& e, const Live& live, Value which) const {
    Values rows;
    for (size_t i = 0; i < batched.size(); ++i) {
      Value v = live.carried[i];
      if (batched[i]) {
        rows.push_back(which ? e.PickLanes(v, which) : v);
        continue;
      }
      BatchScope those(e, e.Rows(which ? which : live.lanes));
      rows.push_back(those.Full(Lanes{v, false}));
    }
    return rows;
  }

  // Lanes whose condition is false leave.
  Values Leave(Emitter& e, const Live& live, Value goes_on) const {
    Value stay = e.Where(goes_on);
    Value go = e.Where(e.Call("LogicalNot", {goes_on}));
    Live left = live;
    left.ended =
        Append(e, live.ended, {RowsOf(e, live, go), e.Gather(live.lanes, go)});
    for (size_t i = 0; i < batched.size(); ++i) {
      if (batched[i]) left.carried[i] = e.PickLanes(live.carried[i], stay);
    }
    for (Value& v : left.captured) v = e.PickLanes(v, stay);
    left.lanes = e.Gather(live.lanes, stay);
    return left.List();
  }

  BatchScope& scope;  // outside the loop
  const Node& node;
  const std::vector<LaneForm>& forms;  // of the carried values
  std::vector<bool> batched;           // which of them have lanes
  Values outside;                      // outer values with lanes that it reads
};

}  // namespace

void Batcher::RunLoop(BatchScope& scope, const Node& node) {
  LaneSpread spread(scope);
  LaneSpread::Loop loop = spread.OfLoop(node);
  if (loop.stops_apart) {
    RunLiveLoop(scope, node, loop.carried);
    return;
  }
  Emitter& emit = scope.emit();
  const Region &cond = *node.regions()[0], &body = *node.regions()[1];
  Values inits;
  std::vector<PartialShape> shapes;
  for (size_t i = 0; i < loop.carried.size(); ++i) {
    int k = static_cast<int>(i);
    inits.push_back(scope.In(loop.carried[i], scope.Find(node.input(k))));
    const PartialShape& shape = body.arg(k).shape();
    // A list remains a list, whatever form its lanes have.
    bool has_axis =
        loop.carried[i] != LaneForm::kSingle && !IsList(body.arg(k));
    shapes.push_back(has_axis ? WithLanes(shape, scope.known_count()) : shape);
  }
  auto run = [&](Emitter& inside, const Region& region, const Values& args) {
    BatchScope own(inside, scope);
    for (size_t i = 0; i < args.size(); ++i) {
      own.Set(region.arg(static_cast<int>(i)),
              LanesIn(args[i], loop.carried[i]));
    }
    std::vector<Lanes> results = RunRegion(own, region);
    Values values;
    for (size_t i = 0; i < results.size(); ++i) {
      values.push_back(&region == &body ? own.In(loop.carried[i], results[i])
                                        : results[i].value);
    }
    return values;
  };
  Values made = emit.While(
      inits, shapes,
      [&](Emitter& inside, const Values& args) {
        return run(inside, cond, args);
      },
      [&](Emitter& inside, const Values& args) {
        return run(inside, body, args);
      },
      node.attrs());
  for (size_t i = 0; emit.ok() && i < made.size(); ++i) {
    scope.Set({const_cast<Node*>(&node), static_cast<int>(i)},
              LanesIn(made[i], loop.carried[i]));
  }
}

void Batcher::RunLiveLoop(BatchScope& scope, const Node& node,
                          const std::vector<LaneForm>& forms) {
  Emitter& emit = scope.emit();
  const Region &cond = *node.regions()[0], &body = *node.regions()[1];
  const LiveLoop loop(scope, node, forms);
  std::vector<PartialShape> shapes;
  const Live start = loop.Start(shapes);
  if (!emit.ok()) return;

  auto iterate = [&](Emitter& e, const Values& args) -> Values {
    Live live = start.Of(args);
    BatchScope testing(e, scope, live.lanes);
    loop.Enter(testing, cond, live);
    std::vector<Lanes> pred = RunRegion(testing, cond);
    if (!e.ok()) return {};
    Value goes_on = testing.Full(pred[0]);
    Live left = start.Of(e.If(
        e.Call("All", {goes_on}), [&](Emitter&) { return live.List(); },
        [&](Emitter& some) { return loop.Leave(some, live, goes_on); }));
    if (!e.ok()) return {};
    left.carried = e.If(
        e.IsEmpty(left.lanes), [&](Emitter&) { return left.carried; },
        [&](Emitter& some) {
          BatchScope own(some, scope, left.lanes);
          loop.Enter(own, body, left);
          std::vector<Lanes> next = RunRegion(own, body);
          Values values;
          for (size_t i = 0; i < next.size(); ++i) {
            values.push_back(own.In(forms[i], next[i]));
          }
          return values;
        });
    return left.List();
  };
  Live last = start.Of(emit.While(
      start.List(), shapes,
      [&](Emitter& e, const Values& args) -> Values {
        return {e.Call("LogicalNot", {e.IsEmpty(start.Of(args).lanes)})};
      },
      iterate, node.attrs()));
  if (!emit.ok()) return;
  // A loop that reaches its maximum leaves live lanes behind.
  if (node.attrs().get<int64_t>("maximum") >= 0) {
    last.ended =
        Append(emit, last.ended, {loop.RowsOf(emit, last, {}), last.lanes});
  }
  SetLanes(scope, node, InOrder(emit, last.ended));
}

}  // namespace sluice
