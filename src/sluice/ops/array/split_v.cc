#include "sluice/base/checked_math.h"
#include "sluice/base/strings.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/shape_value.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/tensor/strided.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRankAtLeast(0, 1));
  const PartialShape& x = c.in(0);
  const Ints& sizes = c.attr<Ints>("sizes");
  int64_t total = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] < 0) {
      return c.Error(
          StrCat("sizes[", i, "] is ", sizes[i], "; wanted at least 0"));
    }
    if (!CheckedAdd(total, sizes[i], &total)) total = INT64_MAX;
  }
  if (!x.rank_known()) return OkStatus();
  SL_ASSIGN_OR_RETURN(int axis,
                      c.ResolveAxis(c.attr<int64_t>("axis"), x.rank()));
  if (x[axis] >= 0 && x[axis] != total) {
    return c.Error(StrCat(c.Describe(0), ", sizes are [", Join(sizes, ","),
                          "]; wanted them to add up to ", x[axis]));
  }
  for (int i = 0; i < c.num_outputs(); ++i) {
    PartialShape part = x;
    part.set_dim(axis, sizes[static_cast<size_t>(i)]);
    SL_ASSIGN_OR_RETURN(PartialShape out, MakeOutShape(c, part.dims()));
    c.set_out(i, out);
  }
  return OkStatus();
}

Status Launch(KernelContext& ctx) {
  const Array& x = ctx.in(0);
  if (x.num_elements() == 0) return OkStatus();
  int64_t axis = ctx.attr<int64_t>("axis");
  if (axis < 0) axis += x.rank();
  int64_t step = x.strides()[static_cast<size_t>(axis)] * DTypeSize(x.dtype());
  const char* from = static_cast<const char*>(x.raw());
  for (int i = 0; i < ctx.num_outputs(); ++i) {
    const Array& y = ctx.out(i);
    CopyRegion(x.dtype(), y.shape(), from, x.strides(), y.mutable_raw(),
               y.strides(), ctx.step().pool);
    from += y.dim(static_cast<int>(axis)) * step;
  }
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  auto axis = static_cast<size_t>(
      ref::Axis(attrs.get<int64_t>("axis"), in[0].shape.rank()));
  Ints dims = ref::DimsOf(in[0].shape);
  std::vector<RefArray> out;
  int64_t first = 0;
  for (int64_t size : attrs.get<Ints>("sizes")) {
    dims[axis] = size;
    out.push_back(ref::Build(ref::MakeShape(dims), [&](Ints index) {
      index[axis] += first;
      return ref::At(in[0], index);
    }));
    first += size;
  }
  return out;
}

}  // namespace

SL_OP(SplitV)
    .doc("x cut along an axis into parts of given sizes.")
    .input("x: T")
    .output("ys: T * sizes")
    .types("T", kAnyData)
    .attr("sizes", AttrKind::kInts, "The sizes of the parts along the axis.")
    .attr("axis", 0, "The axis to cut.")
    .shape(Infer)
    .grad([](GradContext& g) {
      std::vector<GradVar> parts;
      for (int i = 0; i < g.num_outputs(); ++i) parts.push_back(g.dy(i));
      auto whole =
          g.call_all("Concat", parts, {{"axis", g.attr<int64_t>("axis")}});
      if (!whole.empty()) g.set_dx(0, whole[0]);
    })
    .batch(batch_rules::along_axis)
    .cpu(Launch)
    .strided_inputs()
    .reference(Reference)
    .samples({{.in = {{6}}, .attrs = {{"sizes", Ints{1, 3, 2}}}},
              {.in = {{2, 4}}, .attrs = {{"sizes", Ints{3, 1}}, {"axis", 1}}},
              {.in = {{2, 4, 3}},
               .attrs = {{"sizes", Ints{0, 4}}, {"axis", -2}}},
              {.in = {{0, 2}}, .attrs = {{"sizes", Ints{}}}},
              {.in = {{0, 2}}, .attrs = {{"sizes", Ints{1, 1}}, {"axis", 1}}}})
    .rejects({{.in = {{5}},
               .attrs = {{"sizes", Ints{2, 2}}},
               .message = "[SplitV] x is f32[5], sizes are [2,2]; wanted them "
                          "to add up to 5"},
              {.in = {{5}},
               .attrs = {{"sizes", Ints{6, -1}}},
               .message = "[SplitV] sizes[1] is -1; wanted at least 0"},
              {.in = {{5}},
               .attrs = {{"sizes", Ints{INT64_MAX, INT64_MAX, 7}}},
               .message = "[SplitV] x is f32[5], sizes are [9223372036854775807"
                          ",9223372036854775807,7]; wanted"},
              {.in = {Shape()},
               .attrs = {{"sizes", Ints{1}}},
               .message = "[SplitV] x is f32[]; wanted rank 1 or more"},
              {.in = {{4}},
               .attrs = {{"sizes", Ints{4}}, {"axis", 1}},
               .message = "[SplitV] axis 1 is out of range"}});

}  // namespace sluice
