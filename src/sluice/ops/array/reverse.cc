#include "sluice/base/strings.h"
#include "sluice/kernels/cpu/copy.h"
#include "sluice/kernels/reference.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  const PartialShape& x = c.in(0);
  if (x.rank_known()) {
    uint32_t seen = 0;
    for (int64_t axis : c.attr<Ints>("axes")) {
      SL_ASSIGN_OR_RETURN(int a, c.ResolveAxis(axis, x.rank()));
      if (seen >> a & 1) {
        return c.Error(StrCat("axis ", axis, " is named twice"));
      }
      seen |= 1u << a;
    }
  }
  return shapes::same_as_first(c);
}

bool View(const KernelContext& ctx, Array* view) {
  const Array& x = ctx.in(0);
  Strides strides = x.strides();
  int64_t offset = 0;
  uint32_t seen = 0;
  for (int64_t axis : ctx.attr<Ints>("axes")) {
    if (axis < -x.rank() || axis >= x.rank()) return false;
    int a = static_cast<int>(axis < 0 ? axis + x.rank() : axis);
    if (seen >> a & 1) return false;
    seen |= 1u << a;
    int64_t& stride = strides[static_cast<size_t>(a)];
    offset += (x.dim(a) - 1) * stride;
    stride = -stride;
  }
  if (x.num_elements() == 0) offset = 0;
  *view = Array::View(x, offset, x.shape(), strides);
  return true;
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  const Shape& shape = in[0].shape;
  return {ref::Build(shape, [&](Ints index) {
    for (int64_t axis : attrs.get<Ints>("axes")) {
      int a = ref::Axis(axis, shape.rank());
      int64_t& i = index[static_cast<size_t>(a)];
      i = shape.dim(a) - 1 - i;
    }
    return ref::At(in[0], index);
  })};
}

}  // namespace

SL_OP(Reverse)
    .doc("x with its order along some axes reversed: flip.")
    .input("x: T")
    .output("y: T")
    .types("T", kAnyData)
    .attr("axes", AttrKind::kInts, "The axes to reverse.")
    .shape(Infer)
    .view(View)
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("Reverse", {g.dy()}, g.attrs()));
    })
    .shares([](const Attrs&) { return ViewOrder::kChanges; })
    .batch(batch_rules::along_axes)
    .cpu(copy_view<View>)
    .strided_inputs()
    .reference(Reference)
    .samples({{.in = {{5}}, .attrs = {{"axes", Ints{0}}}},
              {.in = {{3, 4}}, .attrs = {{"axes", Ints{-1}}}},
              {.in = {{2, 3, 4}}, .attrs = {{"axes", Ints{0, 2}}}},
              {.in = {Shape()}, .attrs = {{"axes", Ints{}}}},
              {.in = {{0, 2}}, .attrs = {{"axes", Ints{0, 1}}}},
              {.in = {{90, 400}},
               .attrs = {{"axes", Ints{1}}},
               .only = {DType::kF32, DType::kF64, DType::kI8}}})
    .rejects(
        {{.in = {{2}},
          .attrs = {{"axes", Ints{1}}},
          .message = "[Reverse] axis 1 is out of range; wanted -1 <= axis < 1"},
         {.in = {{2}},
          .attrs = {{"axes", Ints{0, -1}}},
          .message = "[Reverse] axis -1 is named twice"}});

}  // namespace sluice
