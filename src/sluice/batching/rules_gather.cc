// Elements and slices picked by index. Where both the array and the indices
// have lanes, an index is preceded by the number of its lane, so that the op
// itself still sees, and refuses, an index that is outside of its example.
#include "sluice/batching/rules.h"

namespace sluice {

namespace {

// Both have lanes: [lanes, ..., tuples of 1 + depth].
Value WithLaneNumbers(BatchContext& c, Value indices, int rank) {
  Value shape = c.Join({c.Sizes(indices, 0, rank), c.Ints({1})});
  Value numbers =
      c.Call("BroadcastTo", {c.LaneNumbers(indices.dtype(), rank + 1), shape});
  return c.Call("Concat", {numbers, indices}, {{"axis", rank}});
}

bool GatherNd(BatchContext& c) {
  if (!c.batched(0)) return c.SetAll({c.in(0), c.in(1)}, c.attrs());
  int rank = c.rank(1);
  if (rank < 1) return false;
  return c.SetAll({c.in(0), WithLaneNumbers(c, c.full(1), rank)}, c.attrs());
}

bool Gather(BatchContext& c) {
  int rank = c.rank(0), picked = c.rank(1);
  if (rank < 1 || picked < 0) return false;
  int64_t axis = c.attr<int64_t>("axis");
  if (axis < 0) axis += rank;
  int at = static_cast<int>(axis);
  if (!c.batched(1)) {
    return c.SetAll({c.in(0), c.in(1)}, c.ShiftedAxis(rank));
  }
  if (!c.batched(0)) {
    // The axes of the indices, lanes first, stand where the axis was.
    Value y = c.Call("Gather", {c.in(0), c.in(1)}, {{"axis", axis}});
    c.set(0, c.MoveAxis(y, rank + picked, at, 0));
    return true;
  }
  Value rows = c.MoveAxis(c.in(0), rank + 1, at + 1, 1);
  Value tuples = WithLaneNumbers(c, c.Expand(c.in(1), picked + 1), picked + 1);
  Value y = c.Call("GatherNd", {rows, tuples});
  // [lanes, indices, before the axis, behind it] to where they belong.
  std::vector<int64_t> perm{0};
  for (int i = 0; i < at; ++i) perm.push_back(1 + picked + i);
  for (int i = 0; i < picked; ++i) perm.push_back(1 + i);
  for (int i = at; i + 1 < rank; ++i) perm.push_back(1 + picked + i);
  c.set(0, c.Transpose(y, perm));
  return true;
}

// Slices of dy added up where the indices say.
bool GatherGrad(BatchContext& c) {
  int rank = c.node().output_type(0).shape.rank();
  int picked = c.rank(1);
  if (c.batched(2) || rank < 1 || picked < 0) return false;
  Value shape = c.LanesAnd(c.in(2));
  if (!c.batched(1)) {
    return c.SetAll({c.full(0), c.in(1), shape}, c.ShiftedAxis(rank));
  }
  int64_t axis = c.attr<int64_t>("axis");
  if (axis != 0 && axis != -rank) return false;
  Value tuples = WithLaneNumbers(c, c.Expand(c.in(1), picked + 1), picked + 1);
  c.set(0, c.Call("ScatterNd", {tuples, c.full(0), shape}));
  return true;
}

bool ScatterNd(BatchContext& c) {
  int rank = c.rank(0);
  if (c.batched(2) || rank < 1) return false;
  c.set(0, c.Call("ScatterNd", {WithLaneNumbers(c, c.full(0), rank), c.full(1),
                                c.LanesAnd(c.in(2))}));
  return true;
}

bool TensorScatter(BatchContext& c) {
  int rank = c.rank(1);
  if (rank < 1) return false;
  return c.SetAll({c.full(0), WithLaneNumbers(c, c.full(1), rank), c.full(2)},
                  c.attrs());
}

// Slices along an axis at the same indices in every lane.
bool IndexSlices(BatchContext& c) {
  if (c.batched(1) || c.rank(0) < 1) return false;
  return c.SetAll({c.full(0), c.in(1), c.full(2)}, c.ShiftedAxis(c.rank(0)));
}

}  // namespace

void AddGatherRules(BatchRules& rules) {
  rules["Gather"] = Gather;
  rules["GatherGrad"] = GatherGrad;
  rules["GatherNd"] = GatherNd;
}

void AddScatterRules(BatchRules& rules) {
  rules["ScatterNd"] = ScatterNd;
  for (const char* name :
       {"TensorScatterAdd", "TensorScatterMax", "TensorScatterMin",
        "TensorScatterMul", "TensorScatterSub", "TensorScatterUpdate"}) {
    rules[name] = TensorScatter;
  }
  for (const char* name : {"IndexAdd", "IndexCopy", "IndexMax", "IndexMin"}) {
    rules[name] = IndexSlices;
  }
}

}  // namespace sluice
