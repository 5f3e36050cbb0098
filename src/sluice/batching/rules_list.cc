// Lists under batching: a list whose elements have lanes. Its length is the
// same for all lanes, and so are the places that are written; an element may be
// read from another place in every lane. Where that is not so every lane has a
// list of its own, and its ops run lane by lane (lane_loop.cc).
#include "sluice/batching/lane_spread.h"
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

// ListAppend, ListSet, ListAddAt: an element is put where all lanes want it.
bool ListPut(BatchContext& c) {
  int last = c.num_inputs() - 1;
  Emitter::Values inputs{c.together(0)};
  for (int i = 1; i < last; ++i) inputs.push_back(c.in(i));
  inputs.push_back(c.full(last));
  return c.SetAll(inputs, c.attrs());
}

// ListAdd, ListWriteAll: element by element.
bool BothLists(BatchContext& c) {
  return c.SetAll({c.together(0), c.together(1)}, c.attrs());
}

// The gradient of one, of whose elements the sizes are given.
bool ListGetOr(BatchContext& c) {
  return c.SetAll({c.in(0), c.in(1), c.LanesAnd(c.in(2))}, c.attrs());
}

// ListStackOr, ListGatherOr: the sizes are those of the result.
bool StackedOr(BatchContext& c) {
  int last = c.num_inputs() - 1;
  Emitter::Values inputs;
  for (int i = 0; i < last; ++i) inputs.push_back(c.in(i));
  Value dims = c.in(last);
  Value first = c.Call("StridedSlice", {dims},
                       {{"begin", std::vector<int64_t>{0}},
                        {"end", std::vector<int64_t>{1}},
                        {"strides", std::vector<int64_t>{1}}});
  Value rest = c.Call("StridedSlice", {dims},
                      {{"begin", std::vector<int64_t>{1}},
                       {"end", std::vector<int64_t>{kMaxRank}},
                       {"strides", std::vector<int64_t>{1}}});
  inputs.push_back(c.Join({first, c.lanes(), rest}));
  return SetTurned(c, c.Call(c.node().op().name, inputs, c.attrs()));
}

// ListAddRows: slices along axis 0 are elements.
bool ListAddRows(BatchContext& c) {
  if (c.rank(2) < 1) return false;
  Value rows = c.MoveAxis(c.full(2), c.rank(2) + 1, 0, 1);
  return c.SetAll({c.together(0), c.in(1), rows}, c.attrs());
}

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

// ListReserve, ListResize, ListZerosLike, ListTruncate, ListClear, ListMask:
// elements stay or go.
bool SameElements(BatchContext& c) {
  Emitter::Values inputs{c.together(0)};
  for (int i = 1; i < c.num_inputs(); ++i) inputs.push_back(c.in(i));
  return c.SetAll(inputs, c.attrs());
}

// Whether input i is a list by itself, not an element of one.
bool IsOperand(const Node& node, int i) {
  const std::string& op = node.op().name;
  return i == 0 || op == "ListAdd" || op == "ListWriteAll" || op == "ListMask";
}

// Ops with places that must be the same for all lanes: the inputs between the
// list and what is put there.
bool PlacesSame(const Node& node,
                const std::function<LaneForm(const Value&)>& form) {
  const std::string& op = node.op().name;
  int first = 1, last = node.num_inputs();
  if (op == "ListAppend" || op == "ListSet" || op == "ListAddAt" ||
      op == "ListAddRows") {
    --last;
  } else if (op == "ListGet") {
    return true;
  } else if (op == "ListUnstack") {
    return node.input(0).shape().rank() >= 1;
  }
  for (int i = first; i < last; ++i) {
    const Value& v = node.input(i);
    if (!IsList(v) && form(v) != LaneForm::kSingle) return false;
  }
  return op != "ListAddRows" || node.input(2).shape().rank() >= 1;
}

}  // namespace

bool KeepsListsTogether(const Node& node,
                        const std::function<LaneForm(const Value&)>& form,
                        const std::function<bool(const Value&)>& can) {
  static const BatchRules* rules = [] {
    auto* made = new BatchRules;
    AddListRules(*made);
    return made;
  }();
  if (!rules->count(node.op().name)) return false;
  // What gives no list takes one as it is.
  bool nested = false, reads = node.output_type(0).dtype != DType::kList;
  for (int i = 0; i < node.num_inputs(); ++i) {
    const Value& v = node.input(i);
    if (!IsList(v)) continue;
    LaneForm is = form(v);
    if (is == LaneForm::kBoxed) return false;
    nested = nested || !IsOperand(node, i);
    // It may have to have lanes because the others have.
    bool stays = reads || (i > 0 && node.op().name == "ListMask");
    if (!stays && is == LaneForm::kSingle && !can(v)) return false;
  }
  for (int i = 0; i < node.num_outputs(); ++i) {
    // An element that is a list, read of one.
    bool element =
        i > 0 || node.op().name == "ListGet" || node.op().name == "ListGetOr";
    nested = nested || (element && node.output_type(i).dtype == DType::kList);
  }
  return !nested && PlacesSame(node, form);
}

void AddListRules(BatchRules& rules) {
  for (const char* name : {"ListAddAt", "ListAppend", "ListSet"}) {
    rules[name] = ListPut;
  }
  for (const char* name : {"ListAdd", "ListWriteAll"}) rules[name] = BothLists;
  for (const char* name :
       {"ListClear", "ListMask", "ListReserve", "ListResize",
        "ListStopGradient", "ListTruncate", "ListZerosLike"}) {
    rules[name] = SameElements;
  }
  for (const char* name : {"ListGatherOr", "ListStackOr"}) {
    rules[name] = StackedOr;
  }
  rules["ListAddRows"] = ListAddRows;
  rules["ListGather"] = ListGather;
  rules["ListGet"] = ListGet;
  rules["ListGetOr"] = ListGetOr;
  rules["ListPop"] = ListLeave;
  rules["ListSize"] = ListSize;
  rules["ListStack"] = ListStack;
  rules["ListTake"] = ListLeave;
  rules["ListUnstack"] = ListUnstack;
}

bool SameForAllLanes(const OpRecord& op) {
  return op.name == "Shape" || op.name == "Size" || op.name == "Rank" ||
         op.name == "ListSize";
}

}  // namespace sluice
