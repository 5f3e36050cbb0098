// Ops that work on the last axes, or on every element by itself.
#include "sluice/batching/rules.h"

namespace sluice {

namespace {

bool Asks(const BatchContext& c, const char* name) {
  return c.attr<bool>(name);
}

// Where only part of the results is asked for, the others have no axes at all.
bool Eigh(BatchContext& c) { return Asks(c, "compute_v") && BatchLeading(c); }
bool Svd(BatchContext& c) { return Asks(c, "compute_uv") && BatchLeading(c); }

// A vector is searched for any values; rows are searched each for its own.
bool SearchSorted(BatchContext& c) {
  if (!c.batched(0)) return BatchLeading(c);
  return c.rank(0) == c.rank(1) && BatchLeading(c);
}

// `axis` is the first of the axes normalised over; scale and offset, which
// have these axes alone, are those of all lanes.
bool NormaliseLast(BatchContext& c) {
  if (c.rank(0) < 1) return false;
  for (int i = 1; i < c.num_inputs(); ++i) {
    if (c.batched(i)) return false;
  }
  Emitter::Values inputs;
  for (int i = 0; i < c.num_inputs(); ++i) inputs.push_back(c.in(i));
  return c.SetAll(inputs, c.ShiftedAxis(c.rank(0)));
}

// Each lane says so when all of it is true; the first that is not stops all.
bool Assert(BatchContext& c) {
  Emitter::Values inputs;
  for (int i = 0; i < c.num_inputs(); ++i) inputs.push_back(c.in(i));
  return c.SetAll(inputs, c.attrs());
}

// Results follow input 0 alone.
bool LikeFirst(BatchContext& c) {
  Emitter::Values inputs{c.full(0)};
  for (int i = 1; i < c.num_inputs(); ++i) inputs.push_back(c.in(i));
  return c.SetAll(inputs, c.attrs());
}

}  // namespace

bool BatchLeading(BatchContext& c) {
  if (c.num_inputs() > 1 && c.common_rank() < 0) return false;
  return c.SetAll(c.all_full(), c.attrs());
}

void AddLeadingRules(BatchRules& rules) {
  for (const char* name : {"AddN",
                           "CheckNumerics",
                           "Cholesky",
                           "CholeskySolve",
                           "Det",
                           "Diag",
                           "DiagPart",
                           "Identity",
                           "Inverse",
                           "LeastSquares",
                           "LogDet",
                           "Lu",
                           "MatrixBandPart",
                           "MatrixPower",
                           "OneHot",
                           "OnesLike",
                           "Pinv",
                           "Qr",
                           "Solve",
                           "StopGradient",
                           "Trace",
                           "TriangularSolve",
                           "Tril",
                           "Triu",
                           "ZerosLike",
                           "StringLength",
                           "StringLower",
                           "StringUpper",
                           "StringStrip",
                           "StringReplace",
                           "StringHashBucket",
                           "StringToNumber",
                           "AsString"}) {
    rules[name] = BatchLeading;
  }
  rules["Eigh"] = Eigh;
  rules["Svd"] = Svd;
  rules["SearchSorted"] = SearchSorted;
  rules["LayerNorm"] = NormaliseLast;
  rules["RmsNorm"] = NormaliseLast;
  rules["Assert"] = Assert;
  rules["WaitFor"] = LikeFirst;
}

}  // namespace sluice
