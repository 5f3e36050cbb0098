// EnsureShape: checks the shape known before the run against the actual one.
#include "sluice/base/strings.h"
#include "sluice/kernels/cpu/copy.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  Result<PartialShape> both =
      MergeShapes(c.in(0), c.attr<PartialShape>("shape"));
  if (!both.ok()) {
    return c.Error(
        StrCat(c.Describe(0), "; wanted ", c.attr<PartialShape>("shape")));
  }
  c.set_out(0, *both);
  return OkStatus();
}

bool View(const KernelContext& ctx, Array* view) {
  // The shape function words the error.
  if (!ctx.attr<PartialShape>("shape").Covers(ctx.in(0).shape())) return false;
  *view = ctx.in(0);
  return true;
}

}  // namespace

SL_OP(EnsureShape)
    .doc(
        "x itself, whose shape must be the one given, as far as that is "
        "known.")
    .input("x: T")
    .output("y: T")
    .types("T", kAnyData)
    .attr("shape", AttrKind::kShape, "Sizes; ? for any.")
    .shape(Infer)
    .view(View)
    .grad([](GradContext& g) { g.set_dx(0, g.dy()); })
    .batch([](BatchContext& b) {
      Attrs attrs = b.attrs();
      attrs.set("shape", b.with_lanes(b.attr<PartialShape>("shape")));
      return b.set_all({b.in(0)}, attrs);
    })
    .cpu(copy_view<View>)
    .strided_inputs()
    .role(Role::kEnsureShape)
    .reference([](const std::vector<RefArray>& in, const Attrs&) {
      return std::vector<RefArray>{in[0]};
    })
    .samples({{.in = {{2, 3}}, .attrs = {{"shape", Shape{2, 3}}}},
              {.in = {{2, 3}},
               .attrs = {{"shape", PartialShape{kUnknownDim, 3}}}},
              {.in = {Shape()}, .attrs = {{"shape", PartialShape()}}}})
    .rejects({{.in = {{2, 3}},
               .attrs = {{"shape", Shape{3, 2}}},
               .message = "[EnsureShape] x is f32[2,3]; wanted [3,2]"},
              {.in = {{2}},
               .attrs = {{"shape", Shape{2, 1}}},
               .message = "[EnsureShape] x is f32[2]; wanted [2,1]"}});

}  // namespace sluice
