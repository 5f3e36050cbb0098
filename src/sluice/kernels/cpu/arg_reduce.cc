#include "sluice/kernels/cpu/arg_reduce.h"

namespace sluice {

Status arg_reduce_shape(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRankAtLeast(0, 1));
  const PartialShape& x = c.in(0);
  if (!x.rank_known()) return OkStatus();
  SL_ASSIGN_OR_RETURN(int axis,
                      c.ResolveAxis(c.attr<int64_t>("axis"), x.rank()));
  std::vector<int64_t> dims(x.dims().begin(), x.dims().end());
  bool results = true;
  for (int i = 0; i < x.rank(); ++i)
    results = results && (i == axis || x[i] > 0);
  if (x[axis] == 0 && results) {
    return c.Error(StrCat(c.Describe(0),
                          "; wanted at least one element along axis ", axis));
  }
  if (c.attr<bool>("keep_dims")) {
    dims[static_cast<size_t>(axis)] = 1;
  } else {
    dims.erase(dims.begin() + axis);
  }
  SL_ASSIGN_OR_RETURN(PartialShape out, PartialShape::Make(dims));
  c.set_out(0, out);
  return OkStatus();
}

int64_t arg_reduce_workspace(const ShapeContext& c) {
  AxisView v(c.in(0).ToShape(), c.attr<int64_t>("axis"));
  int64_t parts = arg_reduce::PartsOf(v.size);
  if (v.inner != 1 || parts == 1) return 0;
  return v.outer * parts * int64_t{sizeof(arg_reduce::Place<double>)};
}

}  // namespace sluice
