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
  if (!x.rank_known()) return OkStatus();
  SL_ASSIGN_OR_RETURN(int axis,
                      c.ResolveAxis(c.attr<int64_t>("axis"), x.rank()));
  int64_t num = c.attr<int64_t>("num");
  if (x[axis] >= 0 && x[axis] != num) {
    return c.Error(StrCat(c.Describe(0), ", num is ", num, "; wanted ", x[axis],
                          ", the size of axis ", axis));
  }
  Ints dims(x.dims().begin(), x.dims().end());
  dims.erase(dims.begin() + axis);
  SL_ASSIGN_OR_RETURN(PartialShape part, MakeOutShape(c, dims));
  for (int i = 0; i < c.num_outputs(); ++i) c.set_out(i, part);
  return OkStatus();
}

Status Launch(KernelContext& ctx) {
  const Array& x = ctx.in(0);
  if (x.num_elements() == 0) return OkStatus();
  int64_t axis = ctx.attr<int64_t>("axis");
  if (axis < 0) axis += x.rank();
  // x's strides without the axis walk one part.
  Strides strides{};
  for (int i = 0, k = 0; i < x.rank(); ++i) {
    if (i != axis) {
      strides[static_cast<size_t>(k++)] = x.strides()[static_cast<size_t>(i)];
    }
  }
  int64_t step = x.strides()[static_cast<size_t>(axis)] * DTypeSize(x.dtype());
  const char* from = static_cast<const char*>(x.raw());
  for (int i = 0; i < ctx.num_outputs(); ++i, from += step) {
    const Array& y = ctx.out(i);
    CopyRegion(x.dtype(), y.shape(), from, strides, y.mutable_raw(),
               y.strides(), ctx.step().pool);
  }
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  int axis = ref::Axis(attrs.get<int64_t>("axis"), in[0].shape.rank());
  Ints dims = ref::DimsOf(in[0].shape);
  int64_t n = dims[static_cast<size_t>(axis)];
  dims.erase(dims.begin() + axis);
  std::vector<RefArray> out;
  for (int64_t k = 0; k < n; ++k) {
    out.push_back(ref::Build(ref::MakeShape(dims), [&](Ints index) {
      index.insert(index.begin() + axis, k);
      return ref::At(in[0], index);
    }));
  }
  return out;
}

}  // namespace

SL_OP(Unstack)
    .doc("The slices of x along an axis, one by one. Stack goes back.")
    .input("x: T")
    .output("ys: T * num")
    .types("T", kAnyData)
    .attr("num", AttrKind::kInt, "How many slices: the size of the axis.")
    .between(0, 1 << 16)
    .attr("axis", 0, "The axis to take apart.")
    .shape(Infer)
    .grad([](GradContext& g) {
      std::vector<GradVar> parts;
      for (int i = 0; i < g.num_outputs(); ++i) parts.push_back(g.dy(i));
      auto whole =
          g.call_all("Stack", parts, {{"axis", g.attr<int64_t>("axis")}});
      if (!whole.empty()) g.set_dx(0, whole[0]);
    })
    .batch(batch_rules::along_axis)
    .cpu(Launch)
    .strided_inputs()
    .fails_for_sizes_only()
    .reference(Reference)
    .samples({{.in = {{3}}, .attrs = {{"num", 3}}},
              {.in = {{2, 3}}, .attrs = {{"num", 3}, {"axis", 1}}},
              {.in = {{2, 3, 4}}, .attrs = {{"num", 3}, {"axis", -2}}},
              {.in = {{0, 2}}, .attrs = {{"num", 0}}},
              {.in = {{0, 2}}, .attrs = {{"num", 2}, {"axis", 1}}}})
    .rejects({{.in = {{3}},
               .attrs = {{"num", 2}},
               .message = "[Unstack] x is f32[3], num is 2; wanted 3, the size "
                          "of axis 0"},
              {.in = {Shape()},
               .attrs = {{"num", 1}},
               .message = "[Unstack] x is f32[]; wanted rank 1 or more"},
              {.in = {{3}},
               .attrs = {{"num", 3}, {"axis", 1}},
               .message = "[Unstack] axis 1 is out of range"}});

}  // namespace sluice
