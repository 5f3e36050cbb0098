#include "sluice/kernels/cpu/copy.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/shape_value.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  const PartialShape& x = c.in(0);
  if (!x.rank_known()) return OkStatus();
  SL_ASSIGN_OR_RETURN(int axis,
                      c.ResolveAxis(c.attr<int64_t>("axis"), x.rank() + 1));
  Ints dims(x.dims().begin(), x.dims().end());
  dims.insert(dims.begin() + axis, 1);
  SL_ASSIGN_OR_RETURN(PartialShape out, MakeOutShape(c, dims));
  c.set_out(0, out);
  return OkStatus();
}

bool View(const KernelContext& ctx, Array* view) {
  const Array& x = ctx.in(0);
  int64_t axis = ctx.attr<int64_t>("axis");
  if (axis < 0) axis += x.rank() + 1;
  if (axis < 0 || axis > x.rank() || x.rank() == kMaxRank) return false;
  int64_t dims[kMaxRank];
  Strides strides{};
  for (int i = 0; i <= x.rank(); ++i) {
    int from = i < axis ? i : i - 1;
    dims[i] = i == axis ? 1 : x.dim(from);
    strides[static_cast<size_t>(i)] =
        i == axis ? 1 : x.strides()[static_cast<size_t>(from)];
  }
  Result<Shape> shape = Shape::Make({dims, static_cast<size_t>(x.rank()) + 1});
  if (!shape.ok()) return false;
  *view = Array::View(x, 0, *shape, strides);
  return true;
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  Ints dims = ref::DimsOf(in[0].shape);
  int axis = ref::Axis(attrs.get<int64_t>("axis"), in[0].shape.rank() + 1);
  dims.insert(dims.begin() + axis, 1);
  return {RefArray{ref::MakeShape(dims), in[0].v}};
}

}  // namespace

SL_OP(ExpandDims)
    .doc("x with one more axis of size 1.")
    .input("x: T")
    .output("y: T")
    .types("T", kAnyData)
    .attr("axis", AttrKind::kInt, "Where the axis appears in y.")
    .shape(Infer)
    .view(View)
    .grad([](GradContext& g) { g.set_dx(0, g.reshape_as(g.dy(), g.in(0))); })
    .shares([](const Attrs&) { return ViewOrder::kKeeps; })
    .batch(batch_rules::new_axis)
    .cpu(copy_view<View>)
    .strided_inputs()
    .role(Role::kExpandDims)
    .linear(Linear::kInFirst)
    .reference(Reference)
    .samples({{.in = {{2, 3}}, .attrs = {{"axis", 0}}},
              {.in = {{2, 3}}, .attrs = {{"axis", 1}}},
              {.in = {{2, 3}}, .attrs = {{"axis", -1}}},
              {.in = {Shape()}, .attrs = {{"axis", 0}}},
              {.in = {{0}}, .attrs = {{"axis", -2}}}})
    .rejects({{.in = {{2, 3}},
               .attrs = {{"axis", 3}},
               .message = "[ExpandDims] axis 3 is out of range; wanted -3 <= "
                          "axis < 3"},
              {.in = {{1, 1, 1, 1, 1, 1, 1, 1}},
               .attrs = {{"axis", 0}},
               .message = "[ExpandDims] rank 9 is too large"}});

}  // namespace sluice
