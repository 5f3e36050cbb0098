#include "sluice/base/checked_math.h"
#include "sluice/base/strings.h"
#include "sluice/kernels/cpu/copy.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/shape_value.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/array/array_grad.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  if (c.num_inputs() == 0) {
    return c.Error("xs is empty; wanted at least one input");
  }
  // The first input of known rank determines the required shape of the others.
  int first = 0;
  while (first < c.num_inputs() && !c.in(first).rank_known()) ++first;
  if (first == c.num_inputs()) return OkStatus();
  SL_RETURN_IF_ERROR(c.WantRankAtLeast(first, 1));
  int rank = c.in(first).rank();
  SL_ASSIGN_OR_RETURN(int axis, c.ResolveAxis(c.attr<int64_t>("axis"), rank));
  PartialShape out = c.in(first);
  out.set_dim(axis, kUnknownDim);
  int64_t total = 0;
  for (int i = 0; i < c.num_inputs(); ++i) {
    PartialShape x = c.in(i);
    if (!x.rank_known()) {
      total = kUnknownDim;
      continue;
    }
    int64_t size = x.rank() == rank ? x[axis] : 0;
    if (x.rank() == rank) x.set_dim(axis, kUnknownDim);
    Result<PartialShape> merged = MergeShapes(out, x);
    if (!merged.ok()) {
      return c.Error(StrCat("shapes differ: ", c.Describe(first), ", ",
                            c.Describe(i), "; wanted equal sizes but on axis ",
                            axis));
    }
    out = *merged;
    if (total >= 0 && size >= 0) {
      if (!CheckedAdd(total, size, &total)) total = INT64_MAX;
    } else {
      total = kUnknownDim;
    }
  }
  // A single input of unknown size keeps that size.
  if (c.num_inputs() == 1) total = c.in(0)[axis];
  out.set_dim(axis, total);
  SL_ASSIGN_OR_RETURN(PartialShape checked, MakeOutShape(c, out.dims()));
  c.set_out(0, checked);
  return OkStatus();
}

Status Launch(KernelContext& ctx) {
  const Array& out = ctx.out(0);
  if (out.num_elements() == 0) return OkStatus();
  int64_t axis = ctx.attr<int64_t>("axis");
  if (axis < 0) axis += out.rank();
  int64_t step =
      out.strides()[static_cast<size_t>(axis)] * DTypeSize(out.dtype());
  char* to = static_cast<char*>(out.mutable_raw());
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    const Array& x = ctx.in(i);
    CopyRegion(out.dtype(), x.shape(), x.raw(), x.strides(), to, out.strides(),
               ctx.step().pool);
    to += x.dim(static_cast<int>(axis)) * step;
  }
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  auto axis = static_cast<size_t>(
      ref::Axis(attrs.get<int64_t>("axis"), in[0].shape.rank()));
  Ints dims = ref::DimsOf(in[0].shape);
  dims[axis] = 0;
  for (const RefArray& x : in)
    dims[axis] += x.shape.dim(static_cast<int>(axis));
  return {ref::Build(ref::MakeShape(dims), [&](Ints index) {
    size_t k = 0;
    while (index[axis] >= in[k].shape.dim(static_cast<int>(axis))) {
      index[axis] -= in[k++].shape.dim(static_cast<int>(axis));
    }
    return ref::At(in[k], index);
  })};
}

}  // namespace

SL_OP(Concat)
    .doc("All inputs one after the other along an axis.")
    .input("xs: T*")
    .output("y: T")
    .types("T", kAnyData)
    .attr("axis", 0, "The axis along which sizes add up.")
    .shape(Infer)
    .grad([](GradContext& g) {
      SplitBack(g, g.dy(), 0, g.attr<int64_t>("axis"));
    })
    .batch(batch_rules::along_axis)
    .cpu(Launch)
    .strided_inputs()
    .role(Role::kConcat)
    .fails_for_sizes_only()
    .reference(Reference)
    .samples({{.in = {{2}, {3}}},
              {.in = {{2, 3}, {2, 1}, {2, 2}}, .attrs = {{"axis", 1}}},
              {.in = {{2, 3, 2}, {2, 4, 2}}, .attrs = {{"axis", -2}}},
              {.in = {{2, 2}}},
              {.in = {{0, 2}, {3, 2}, {0, 2}}},
              {.in = {{2, 0}, {3, 0}}},
              {.in = {{300, 70}, {300, 90}},
               .attrs = {{"axis", 1}},
               .only = {DType::kF32, DType::kC64}},
              {.in = {{90000}, {5}}, .only = {DType::kF32}}})
    .rejects(
        {{.in = {Shape(), Shape()},
          .message = "[Concat] xs[0] is f32[]; wanted rank 1 or more"},
         {.in = {{2, 3}, {2, 4}},
          .message = "[Concat] shapes differ: xs[0] is f32[2,3], xs[1] is "
                     "f32[2,4]; wanted equal sizes but on axis 0"},
         {.in = {{2, 3}, {2}},
          .message = "[Concat] shapes differ: xs[0] is f32[2,3], xs[1] is "
                     "f32[2]; wanted"},
         {.in = {{2}, {2}},
          .attrs = {{"axis", 1}},
          .message = "[Concat] axis 1 is out of range"},
         {.in = {{2}, Array::Zeros(DType::kI32, {2})},
          .message = "[Concat] xs[1] is i32; wanted f32 as xs[0]"},
         {.in = {},
          .message = "[Concat] the type T of output y is not determined"}});

}  // namespace sluice
