// Lists under batching: a list whose elements have lanes. Its length is the
// same for all lanes, and so are the places that are written; an element may be
// read from another place in every lane.
#include "sluice/batching/rules.h"

namespace sluice {

namespace {

Attrs ElementsWithLanes(const BatchContext& c) {
  Attrs attrs = c.attrs();
  attrs.set("shape", WithLanes(c.attr<PartialShape>("shape"), c.known_lanes()));
  return attrs;
}

// Elements behind each other, [size, lanes, ...] or, of a single list, [size,
// ...].
Value Stack(BatchContext& c) {
  Attrs attrs{
      {"dtype", c.attr<DType>("dtype")},
      {"shape", c.batched(0) ? ElementsWithLanes(c).get<PartialShape>("shape")
                             : c.attr<PartialShape>("shape")}};
  return c.Call("ListStack", {c.in(0)}, attrs);
}

// Lanes from behind axis 0 to the front.
bool SetTurned(BatchContext& c, Value value) {
  int rank = c.node().output_type(0).shape.rank();
  if (rank > 0) {
    c.set(0, c.MoveAxis(value, rank + 1, 1, 0));
    return true;
  }
  // However many axes there are behind them, as one.
  Value size = c.Sizes(value, 0, 1), rest = c.Sizes(value, 2);
  Value one = c.Reshape(c.Call("Prod", {rest}), c.Ints({1}));
  Value flat = c.Reshape(value, c.Join({size, c.lanes(), one}));
  c.set(0, c.Reshape(c.Transpose(flat, {1, 0, 2}),
                     c.Join({c.lanes(), size, rest})));
  return true;
}

bool ListGet(BatchContext& c) {
  if (!c.batched(1)) {
    return c.SetAll({c.in(0), c.in(1)}, ElementsWithLanes(c));
  }
  if (!c.batched(0)) {
    c.set(0, c.Gather(Stack(c), c.in(1)));
    return true;
  }
  Value places = c.Call(
      "Concat", {c.Expand(c.in(1), 1), c.LaneNumbers(c.in(1).dtype(), 2)},
      {{"axis", 1}});
  c.set(0, c.Call("GatherNd", {Stack(c), places}));
  return true;
}

// An element is put where all lanes want it.
bool ListSet(BatchContext& c) {
  if (c.batched(1)) return false;
  return c.SetAll({c.full(0), c.in(1), c.full(2)}, c.attrs());
}

bool ListAppend(BatchContext& c) { return c.SetAll(c.all_full(), c.attrs()); }

// ListPop, ListTake: an element leaves, from one place for all lanes.
bool ListLeave(BatchContext& c) {
  Emitter::Values inputs{c.in(0)};
  if (c.num_inputs() > 1) {
    if (c.batched(1)) return false;
    inputs.push_back(c.in(1));
  }
  return c.SetAll(inputs, ElementsWithLanes(c));
}

bool ListStack(BatchContext& c) {
  return SetTurned(c, c.Call("ListStack", {c.in(0)}, ElementsWithLanes(c)));
}

bool ListUnstack(BatchContext& c) {
  if (c.rank(0) < 1) return false;
  return c.SetAll({c.MoveAxis(c.in(0), c.rank(0) + 1, 0, 1)}, c.attrs());
}

bool ListGather(BatchContext& c) {
  if (c.batched(1) && c.batched(0)) return false;
  if (c.batched(1)) {
    c.set(0, c.Gather(Stack(c), c.in(1)));
    return true;
  }
  return SetTurned(
      c, c.Call("ListGather", {c.in(0), c.in(1)}, ElementsWithLanes(c)));
}

bool ListSize(BatchContext& c) {
  c.set(0, c.Call("ListSize", {c.in(0)}), false);
  return true;
}

// ListReserve, ListResize, ListZerosLike.
bool SameElements(BatchContext& c) {
  Emitter::Values inputs{c.in(0)};
  for (int i = 1; i < c.num_inputs(); ++i) {
    if (c.batched(i)) return false;
    inputs.push_back(c.in(i));
  }
  return c.SetAll(inputs, c.attrs());
}

}  // namespace

void AddListRules(BatchRules& rules) {
  rules["ListAppend"] = ListAppend;
  rules["ListGather"] = ListGather;
  rules["ListGet"] = ListGet;
  rules["ListPop"] = ListLeave;
  rules["ListReserve"] = SameElements;
  rules["ListResize"] = SameElements;
  rules["ListSet"] = ListSet;
  rules["ListSize"] = ListSize;
  rules["ListStack"] = ListStack;
  rules["ListTake"] = ListLeave;
  rules["ListUnstack"] = ListUnstack;
  rules["ListZerosLike"] = SameElements;
}

bool SameForAllLanes(const OpRecord& op) {
  return op.name == "Shape" || op.name == "Size" || op.name == "Rank" ||
         op.name == "ListSize";
}

}  // namespace sluice
