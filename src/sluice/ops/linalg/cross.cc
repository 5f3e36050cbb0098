#include "sluice/base/strings.h"
#include "sluice/kernels/cpu/axis_view.h"
#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/reference.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRankAtLeast(0, 1));
  SL_RETURN_IF_ERROR(shapes::all_same(c));
  const PartialShape& out = c.out(0);
  if (!out.rank_known()) return OkStatus();
  SL_ASSIGN_OR_RETURN(int axis,
                      c.ResolveAxis(c.attr<int64_t>("axis"), out.rank()));
  if (out[axis] >= 0 && out[axis] != 3) {
    return c.Error(StrCat(c.Describe(0), "; wanted 3 elements on axis ", axis));
  }
  PartialShape refined = out;
  refined.set_dim(axis, 3);
  SL_ASSIGN_OR_RETURN(PartialShape checked, PartialShape::Make(refined.dims()));
  c.set_out(0, checked);
  return OkStatus();
}

template <class T>
void Run(KernelContext& ctx, const AxisView& v) {
  using C = Compute<T>;
  const T *a = ctx.in(0).data<T>(), *b = ctx.in(1).data<T>();
  T* y = ctx.out(0).mutable_data<T>();
  for (int64_t outer = 0; outer < v.outer; ++outer) {
    for (int64_t i = 0; i < v.inner; ++i) {
      int64_t at[3];
      for (int64_t k = 0; k < 3; ++k) at[k] = (outer * 3 + k) * v.inner + i;
      for (int k = 0; k < 3; ++k) {
        int64_t p = at[(k + 1) % 3], q = at[(k + 2) % 3];
        auto left = ToWrap(C(a[p])) * ToWrap(C(b[q]));
        auto right = ToWrap(C(a[q])) * ToWrap(C(b[p]));
        y[at[k]] = static_cast<T>(static_cast<C>(left - right));
      }
    }
  }
}

Status Launch(KernelContext& ctx) {
  AxisView v(ctx.in(0).shape(), ctx.attr<int64_t>("axis"));
  DispatchReals(ctx.in(0).dtype(), [&]<class T>() { Run<T>(ctx, v); });
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  auto axis = static_cast<size_t>(
      ref::Axis(attrs.get<int64_t>("axis"), in[0].shape.rank()));
  return {ref::Build(in[0].shape, [&](const Ints& at) {
    Ints p = at, q = at;
    p[axis] = (at[axis] + 1) % 3;
    q[axis] = (at[axis] + 2) % 3;
    return ref::At(in[0], p) * ref::At(in[1], q) -
           ref::At(in[0], q) * ref::At(in[1], p);
  })};
}

}  // namespace

SL_OP(Cross)
    .doc("The cross product of vectors of three elements along an axis.")
    .input("a: T")
    .input("b: T")
    .output("y: T")
    .types("T", kReals)
    .attr("axis", -1, "The axis of size 3.")
    .shape(Infer)
    .grad([](GradContext& g) {
      GradVar a = g.in(0), b = g.in(1), dy = g.dy();
      if (g.wants(0)) g.set_dx(0, g.call("Cross", {b, dy}, g.attrs()));
      if (g.wants(1)) g.set_dx(1, g.call("Cross", {dy, a}, g.attrs()));
    })
    .batch(batch_rules::along_axis)
    .cpu(Launch)
    .tolerance(1e-6)
    .reference(Reference)
    .samples({{.in = {{3}, {3}}},
              {.in = {{5, 3}, {5, 3}}},
              {.in = {{3, 4}, {3, 4}}, .attrs = {{"axis", 0}}},
              {.in = {{2, 3, 4}, {2, 3, 4}}, .attrs = {{"axis", -2}}},
              {.in = {{0, 3}, {0, 3}}}})
    .rejects({{.in = {{2}, {2}},
               .message = "[Cross] a is f32[2]; wanted 3 elements on axis 0"},
              {.in = {{3}, {1, 3}},
               .message = "[Cross] shapes differ: a is f32[3], b is f32[1,3]"},
              {.in = {{3}, {3}},
               .attrs = {{"axis", 1}},
               .message = "[Cross] axis 1 is out of range"},
              {.in = {Shape(), Shape()},
               .message = "[Cross] a is f32[]; wanted rank 1 or more"}});

}  // namespace sluice
