// Ops that work along axes named by attributes: those move behind the lanes.
#include "sluice/batching/rules.h"

namespace sluice {

namespace {

using Ints = std::vector<int64_t>;

bool AlongAxis(BatchContext& c) {
  int rank = c.common_rank();
  if (rank < 1) return false;
  return c.SetAll(c.all_full(), c.ShiftedAxis(rank));
}

// The axis is one of the result, which has one more.
bool NewAxis(BatchContext& c) {
  int rank = c.common_rank();
  if (rank < 0) return false;
  return c.SetAll(c.all_full(), c.ShiftedAxis(rank + 1));
}

Ints Shifted(const Ints& axes, int rank) {
  Ints moved;
  for (int64_t axis : axes)
    moved.push_back((axis < 0 ? axis + rank : axis) + 1);
  return moved;
}

bool AlongAxes(BatchContext& c) {
  Ints axes = c.attr<Ints>("axes");
  if (c.rank(0) < 0 || axes.empty()) return false;
  Attrs attrs = c.attrs();
  attrs.set("axes", Shifted(axes, c.rank(0)));
  return c.SetAll({c.in(0)}, attrs);
}

// No axes mean all of size 1, which must be known: those of lanes stay.
bool Squeeze(BatchContext& c) {
  Ints axes = c.attr<Ints>("axes");
  const PartialShape& x = c.example(0);
  if (!x.rank_known()) return false;
  if (axes.empty()) {
    if (!x.fully_known()) return false;
    for (int i = 0; i < x.rank(); ++i) {
      if (x[i] == 1) axes.push_back(i);
    }
  }
  if (axes.empty()) {
    c.set(0, c.Call("Identity", {c.in(0)}));
    return true;
  }
  return c.SetAll({c.in(0)}, {{"axes", Shifted(axes, x.rank())}});
}

bool Transpose(BatchContext& c) {
  int rank = c.rank(0);
  if (rank < 0) return false;
  Ints perm{0};
  Ints given = Shifted(c.attr<Ints>("perm"), rank);
  for (int i = rank; given.empty() && i > 0; --i) perm.push_back(i);
  perm.insert(perm.end(), given.begin(), given.end());
  c.set(0, c.Call("Transpose", {c.in(0)}, {{"perm", perm}}));
  return true;
}

// The cuts are those of the parts' shapes, which are the same for all lanes.
bool ConcatGrad(BatchContext& c) {
  if (c.rank(0) < 1) return false;
  Emitter::Values inputs{c.full(0)};
  for (int i = 1; i < c.num_inputs(); ++i) {
    if (c.batched(i)) return false;
    inputs.push_back(c.LanesAnd(c.in(i)));
  }
  return c.SetAll(inputs, c.ShiftedAxis(c.rank(0)));
}

// How often may differ from slice to slice, not from lane to lane.
bool Repeat(BatchContext& c) {
  if (c.batched(1) || c.rank(0) < 1) return false;
  return c.SetAll({c.in(0), c.in(1)}, c.ShiftedAxis(c.rank(0)));
}

}  // namespace

void AddAxisRules(BatchRules& rules) {
  for (const char* name : {"ArgMax",
                           "ArgMin",
                           "ArgSort",
                           "Concat",
                           "CosineSimilarity",
                           "Cross",
                           "CumMax",
                           "CumMin",
                           "CumProd",
                           "CumSum",
                           "Glu",
                           "GluGrad",
                           "LinearScan",
                           "LogCumSumExp",
                           "LogSoftmax",
                           "LogSoftmaxGrad",
                           "PutAlong",
                           "Softmax",
                           "SoftmaxGrad",
                           "Sort",
                           "Split",
                           "SplitV",
                           "TakeAlong",
                           "TopK",
                           "Unstack"}) {
    rules[name] = AlongAxis;
  }
  // Reductions whose shape function does more than that of the others.
  for (const char* name : {"Max", "Min", "Norm"}) rules[name] = BatchReduction;
  rules["ExpandDims"] = NewAxis;
  rules["Stack"] = NewAxis;
  rules["Reverse"] = AlongAxes;
  rules["Roll"] = AlongAxes;
  rules["Squeeze"] = Squeeze;
  rules["Transpose"] = Transpose;
  rules["ConcatGrad"] = ConcatGrad;
  rules["Repeat"] = Repeat;
}

}  // namespace sluice
