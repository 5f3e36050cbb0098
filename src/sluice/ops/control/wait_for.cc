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

SL_OP(WaitFor)
    .doc(
        "x itself, once the others are there. What is computed from it is "
        "computed after them, and never merged with what was computed before.")
    .input("x: T")
    .input("others: any*")
    .output("y: T")
    .types("T", kAnyData)
    .shape(shapes::same_as_first)
    .grad([](GradContext& g) { g.set_dx(0, g.dy()); })
    .view(View)
    .batch(batch_rules::like_first)
    .cpu(copy_view<View>)
    .strided_inputs()
    .internal()
    .reference([](const std::vector<RefArray>& in, const Attrs&) {
      return std::vector<RefArray>{in[0]};
    })
    .samples({{.in = {{2, 3}, {2}}}, {.in = {Shape()}}, {.in = {{0, 4}, {1}}}})
    .rejects({{.in = {}, .message = "[WaitFor]"}});

}  // namespace sluice
