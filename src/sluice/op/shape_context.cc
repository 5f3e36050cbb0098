#include "sluice/op/shape_context.h"

#include "sluice/base/strings.h"
#include "sluice/op/record.h"

namespace sluice {

std::string ShapeContext::Describe(int i) const {
  return StrCat(op_.InputName(i), " is ", TypeText(in_dtype(i), in(i)));
}

Status ShapeContext::Error(std::string_view message) const {
  return InvalidArgument(StrCat("[", op_.name, "] ", message));
}

Status ShapeContext::WantRank(int i, int rank) const {
  if (!in(i).rank_known() || in(i).rank() == rank) return OkStatus();
  return Error(StrCat(Describe(i), "; wanted rank ", rank));
}

Status ShapeContext::WantRankAtLeast(int i, int rank) const {
  if (!in(i).rank_known() || in(i).rank() >= rank) return OkStatus();
  return Error(StrCat(Describe(i), "; wanted rank ", rank, " or more"));
}

Result<int> ShapeContext::ResolveAxis(int64_t axis, int rank) const {
  if (axis < -rank || axis >= rank) {
    return Error(StrCat("axis ", axis, " is out of range; wanted -", rank,
                        " <= axis < ", rank));
  }
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

namespace shapes {

Status same_as_first(ShapeContext& c) {
  for (int i = 0; i < c.num_outputs(); ++i) c.set_out(i, c.in(0));
  return OkStatus();
}

Status broadcast(ShapeContext& c) {
  PartialShape out = c.in(0);
  for (int i = 1; i < c.num_inputs(); ++i) {
    Result<PartialShape> next = BroadcastShapes(out, c.in(i));
    if (!next.ok()) {
      std::string got;
      for (int k = 0; k < c.num_inputs(); ++k) {
        StrAppend(got, k ? ", " : "", c.Describe(k));
      }
      return c.Error(StrCat("shapes do not broadcast: ", got,
                            "; wanted sizes equal or 1 on every axis"));
    }
    out = *next;
  }
  c.set_out(0, out);
  return OkStatus();
}

Status scalar(ShapeContext& c) {
  for (int i = 0; i < c.num_outputs(); ++i) {
    c.set_out(i, PartialShape::Scalar());
  }
  return OkStatus();
}

Status unknown(ShapeContext&) { return OkStatus(); }
Status none(ShapeContext&) { return OkStatus(); }

Status all_same(ShapeContext& c) {
  PartialShape out = c.in(0);
  for (int i = 1; i < c.num_inputs(); ++i) {
    Result<PartialShape> merged = MergeShapes(out, c.in(i));
    if (!merged.ok()) {
      return c.Error(StrCat("shapes differ: ", c.Describe(0), ", ",
                            c.Describe(i), "; wanted equal shapes"));
    }
    out = *merged;
  }
  c.set_out(0, out);
  return OkStatus();
}

Status reduce(ShapeContext& c) {
  const auto& axes = c.attr<std::vector<int64_t>>("axes");
  bool keep = c.attr<bool>("keep_dims");
  const PartialShape& x = c.in(0);
  if (!x.rank_known()) {
    if (axes.empty() && !keep) c.set_out(0, PartialShape::Scalar());
    return OkStatus();
  }
  uint32_t reduced = axes.empty() ? (1u << x.rank()) - 1 : 0;
  for (int64_t axis : axes) {
    SL_ASSIGN_OR_RETURN(int a, c.ResolveAxis(axis, x.rank()));
    if (reduced >> a & 1) {
      return c.Error(StrCat("axis ", axis, " is named twice"));
    }
    reduced |= 1u << a;
  }
  std::vector<int64_t> dims;
  for (int i = 0; i < x.rank(); ++i) {
    if (!(reduced >> i & 1)) {
      dims.push_back(x[i]);
    } else if (keep) {
      dims.push_back(1);
    }
  }
  SL_ASSIGN_OR_RETURN(PartialShape out, PartialShape::Make(dims));
  c.set_out(0, out);
  return OkStatus();
}

}  // namespace shapes

}  // namespace sluice
