#include "sluice/base/strings.h"
#include "sluice/kernels/cpu/copy.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/shape_value.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  const PartialShape& x = c.in(0);
  const Ints& axes = c.attr<Ints>("axes");
  if (!x.rank_known()) return OkStatus();
  Ints dims;
  if (axes.empty()) {
    for (int64_t d : x.dims()) {
      if (d < 0) return OkStatus();  // it may be 1 or not: unknown rank
      if (d != 1) dims.push_back(d);
    }
  } else {
    uint32_t dropped = 0;
    for (int64_t axis : axes) {
      SL_ASSIGN_OR_RETURN(int a, c.ResolveAxis(axis, x.rank()));
      if (x[a] >= 0 && x[a] != 1) {
        return c.Error(StrCat(c.Describe(0), "; wanted size 1 at axis ", axis));
      }
      dropped |= 1u << a;
    }
    for (int i = 0; i < x.rank(); ++i) {
      if (!(dropped >> i & 1)) dims.push_back(x[i]);
    }
  }
  SL_ASSIGN_OR_RETURN(PartialShape out, MakeOutShape(c, dims));
  c.set_out(0, out);
  return OkStatus();
}

bool View(const KernelContext& ctx, Array* view) {
  const Array& x = ctx.in(0);
  const Ints& axes = ctx.attr<Ints>("axes");
  uint32_t dropped = 0;
  for (int64_t axis : axes) {
    if (axis < -x.rank() || axis >= x.rank()) return false;
    int a = static_cast<int>(axis < 0 ? axis + x.rank() : axis);
    if (x.dim(a) != 1) return false;
    dropped |= 1u << a;
  }
  Ints dims;
  Strides strides{};
  for (int i = 0; i < x.rank(); ++i) {
    if (axes.empty() ? x.dim(i) == 1 : dropped >> i & 1) continue;
    strides[dims.size()] = x.strides()[static_cast<size_t>(i)];
    dims.push_back(x.dim(i));
  }
  Result<Shape> shape = Shape::Make(dims);
  if (!shape.ok()) return false;
  *view = Array::View(x, 0, *shape, strides);
  return true;
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  const Ints& axes = attrs.get<Ints>("axes");
  Ints dims;
  for (int i = 0; i < in[0].shape.rank(); ++i) {
    bool drop = axes.empty() && in[0].shape.dim(i) == 1;
    for (int64_t a : axes) drop = drop || ref::Axis(a, in[0].shape.rank()) == i;
    if (!drop) dims.push_back(in[0].shape.dim(i));
  }
  return {RefArray{ref::MakeShape(dims), in[0].v}};
}

// No axes mean all of size 1, which must be known: those of lanes stay.
bool Batched(BatchContext& b) {
  batch_rules::Ints axes = b.attr<batch_rules::Ints>("axes");
  const PartialShape& x = b.example(0);
  if (!x.rank_known()) return false;
  if (axes.empty()) {
    if (!x.fully_known()) return false;
    for (int i = 0; i < x.rank(); ++i) {
      if (x[i] == 1) axes.push_back(i);
    }
  }
  if (axes.empty()) {
    b.set(0, b.call("Identity", {b.in(0)}));
    return true;
  }
  return b.set_all({b.in(0)}, {{"axes", batch_rules::shifted(axes, x.rank())}});
}

}  // namespace

SL_OP(Squeeze)
    .doc("x without some axes of size 1.")
    .input("x: T")
    .output("y: T")
    .types("T", kAnyData)
    .attr("axes", Ints{}, "Axes to drop; empty means all of size 1.")
    .shape(Infer)
    .view(View)
    .grad([](GradContext& g) { g.set_dx(0, g.reshape_as(g.dy(), g.in(0))); })
    .shares([](const Attrs&) { return ViewOrder::kKeeps; })
    .batch(Batched)
    .cpu(copy_view<View>)
    .strided_inputs()
    .role(Role::kSqueeze)
    .linear(Linear::kInFirst)
    .reference(Reference)
    .samples({{.in = {{1, 3, 1}}},
              {.in = {{1, 3, 1}}, .attrs = {{"axes", Ints{0}}}},
              {.in = {{1, 3, 1}}, .attrs = {{"axes", Ints{-1, 0}}}},
              {.in = {{2, 3}}},
              {.in = {Shape()}},
              {.in = {{1, 0}}}})
    .rejects({{.in = {{2, 1}},
               .attrs = {{"axes", Ints{0}}},
               .message = "[Squeeze] x is f32[2,1]; wanted size 1 at axis 0"},
              {.in = {{2, 1}},
               .attrs = {{"axes", Ints{2}}},
               .message = "[Squeeze] axis 2 is out of range"}});

}  // namespace sluice
