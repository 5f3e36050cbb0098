// Shape functions of the row normalizations.
#include "sluice/base/strings.h"
#include "sluice/kernels/cpu/norm_rows.h"

namespace sluice {

namespace {

// Input i has the shape of x's axes [begin, end); `x` is known by rank.
Status WantPart(const ShapeContext& c, int i, const PartialShape& x, int begin,
                int end) {
  const PartialShape& got = c.in(i);
  if (!got.rank_known()) return OkStatus();
  PartialShape want = PartialShape::OfRank(end - begin);
  for (int k = begin; k < end; ++k) want.set_dim(k - begin, x[k]);
  if (want.CompatibleWith(got)) return OkStatus();
  return c.Error(StrCat(c.Describe(i), "; wanted shape ", want, ", x's axes ",
                        begin, " to ", end - 1));
}

Status Forward(ShapeContext& c) {
  SL_RETURN_IF_ERROR(CheckEpsilon(c));
  SL_RETURN_IF_ERROR(c.WantRankAtLeast(0, 1));
  const PartialShape& x = c.in(0);
  c.set_out(0, x);
  if (!x.rank_known()) return OkStatus();
  SL_ASSIGN_OR_RETURN(int axis,
                      c.ResolveAxis(c.attr<int64_t>("axis"), x.rank()));
  for (int i = 1; i < c.num_inputs(); ++i) {
    SL_RETURN_IF_ERROR(WantPart(c, i, x, axis, x.rank()));
  }
  SL_ASSIGN_OR_RETURN(
      PartialShape rows,
      PartialShape::Make(x.dims().first(static_cast<size_t>(axis))));
  for (int i = 1; i < c.num_outputs(); ++i) c.set_out(i, rows);
  return OkStatus();
}

// Inputs: dy, x, scale, then statistics of every row.
Status Backward(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRankAtLeast(1, 1));
  Result<PartialShape> x = MergeShapes(c.in(0), c.in(1));
  if (!x.ok()) {
    return c.Error(StrCat("shapes differ: ", c.Describe(0), ", ", c.Describe(1),
                          "; wanted equal shapes"));
  }
  c.set_out(0, *x);
  for (int i = 1; i < c.num_outputs(); ++i) c.set_out(i, c.in(2));
  if (!x->rank_known()) return OkStatus();
  SL_ASSIGN_OR_RETURN(int axis,
                      c.ResolveAxis(c.attr<int64_t>("axis"), x->rank()));
  SL_RETURN_IF_ERROR(WantPart(c, 2, *x, axis, x->rank()));
  for (int i = 3; i < c.num_inputs(); ++i) {
    SL_RETURN_IF_ERROR(WantPart(c, i, *x, 0, axis));
  }
  SL_ASSIGN_OR_RETURN(
      PartialShape row,
      PartialShape::Make(x->dims().subspan(static_cast<size_t>(axis))));
  for (int i = 1; i < c.num_outputs(); ++i) c.set_out(i, row);
  return OkStatus();
}

}  // namespace

Status CheckEpsilon(const ShapeContext& c) {
  double epsilon = c.attr<double>("epsilon");
  if (epsilon >= 0) return OkStatus();
  return c.Error(StrCat("epsilon is ", epsilon, "; wanted epsilon >= 0"));
}

Status layer_norm_shape(ShapeContext& c) { return Forward(c); }
Status rms_norm_shape(ShapeContext& c) { return Forward(c); }
Status layer_norm_grad_shape(ShapeContext& c) { return Backward(c); }
Status rms_norm_grad_shape(ShapeContext& c) { return Backward(c); }

}  // namespace sluice
