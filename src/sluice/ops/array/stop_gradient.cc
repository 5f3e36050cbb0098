#include "sluice/kernels/cpu/copy.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"

namespace sluice {
namespace {

bool View(const KernelContext& ctx, Array* view) {
  *view = ctx.in(0);
  return true;
}

}  // namespace

SL_OP(StopGradient)
    .doc("x itself; gradients take it for a constant.")
    .input("x: T")
    .output("y: T")
    .types("T", kAnyData)
    .shape(shapes::same_as_first)
    .no_grad("it was put there to stop gradients")
    .view(View)
    .shares([](const Attrs&) { return ViewOrder::kKeeps; },
            [](GradContext& g) { g.set_dx(0, g.dy()); })
    .batch(batch_rules::leading)
    .cpu(copy_view<View>)
    .strided_inputs()
    .reference([](const std::vector<RefArray>& in, const Attrs&) {
      return std::vector<RefArray>{in[0]};
    })
    .samples({{.in = {{2, 3}}}, {.in = {Shape()}}, {.in = {{0, 4}}}});

}  // namespace sluice
