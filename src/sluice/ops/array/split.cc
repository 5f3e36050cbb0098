#include "sluice/base/strings.h"
#include "sluice/kernels/cpu/copy.h"
#include "sluice/kernels/reference.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRankAtLeast(0, 1));
  const PartialShape& x = c.in(0);
  if (!x.rank_known()) return OkStatus();
  SL_ASSIGN_OR_RETURN(int axis,
                      c.ResolveAxis(c.attr<int64_t>("axis"), x.rank()));
  int64_t num = c.attr<int64_t>("num");
  PartialShape part = x;
  if (x[axis] >= 0) {
    if (x[axis] % num != 0) {
      return c.Error(StrCat(c.Describe(0), ", num is ", num,
                            "; wanted a size divisible by num at axis ", axis));
    }
    part.set_dim(axis, x[axis] / num);
  } else if (num > 1) {
    part.set_dim(axis, kUnknownDim);
  }
  for (int i = 0; i < c.num_outputs(); ++i) c.set_out(i, part);
  return OkStatus();
}

Status Launch(KernelContext& ctx) {
  const Array& x = ctx.in(0);
  if (x.num_elements() == 0) return OkStatus();
  int64_t axis = ctx.attr<int64_t>("axis");
  if (axis < 0) axis += x.rank();
  const char* from = static_cast<const char*>(x.raw());
  for (int i = 0; i < ctx.num_outputs(); ++i) {
    const Array& y = ctx.out(i);
    CopyRegion(x.dtype(), y.shape(), from, x.strides(), y.mutable_raw(),
               y.strides(), ctx.step().pool);
    from += y.dim(static_cast<int>(axis)) *
            x.strides()[static_cast<size_t>(axis)] * DTypeSize(x.dtype());
  }
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  int64_t num = attrs.get<int64_t>("num");
  auto axis = static_cast<size_t>(
      ref::Axis(attrs.get<int64_t>("axis"), in[0].shape.rank()));
  Ints dims = ref::DimsOf(in[0].shape);
  dims[axis] /= num;
  std::vector<RefArray> out;
  for (int64_t i = 0; i < num; ++i) {
    out.push_back(ref::Build(ref::MakeShape(dims), [&](Ints index) {
      index[axis] += i * dims[axis];
      return ref::At(in[0], index);
    }));
  }
  return out;
}

}  // namespace

SL_OP(Split)
    .doc("x cut into num equal parts along an axis.")
    .input("x: T")
    .output("ys: T * num")
    .types("T", kAnyData)
    .attr("num", AttrKind::kInt, "How many parts.")
    .between(1, 1 << 16)
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
    .fails_for_sizes_only()
    .reference(Reference)
    .samples({{.in = {{6}}, .attrs = {{"num", 3}}},
              {.in = {{2, 4}}, .attrs = {{"num", 2}, {"axis", 1}}},
              {.in = {{2, 4, 3}}, .attrs = {{"num", 4}, {"axis", -2}}},
              {.in = {{3}}, .attrs = {{"num", 1}}},
              {.in = {{0, 2}}, .attrs = {{"num", 2}}},
              {.in = {{0, 2}}, .attrs = {{"num", 2}, {"axis", 1}}}})
    .rejects({{.in = {{5}},
               .attrs = {{"num", 2}},
               .message = "[Split] x is f32[5], num is 2; wanted a size "
                          "divisible by num at axis 0"},
              {.in = {Shape()},
               .attrs = {{"num", 1}},
               .message = "[Split] x is f32[]; wanted rank 1 or more"},
              {.in = {{4}},
               .attrs = {{"num", 2}, {"axis", -2}},
               .message = "[Split] axis -2 is out of range"}});

}  // namespace sluice
