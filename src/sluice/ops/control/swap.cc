// Swap: moves a value to host memory, where a loop keeps it for its gradient
// (save = "host"), or back. An Identity that stays where it is placed: the step
// copies on separate streams while the device continues.
#include "sluice/kernels/cpu/copy.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

bool View(const KernelContext& ctx, Array* view) {
  *view = ctx.in(0);
  return true;
}

SL_OP(Swap)
    .doc(
        "x on this op's device, wherever it was. With `out`, x itself as long "
        "as the device it is on has no more than `above` bytes in use.")
    .input("x: T")
    .output("y: T")
    .types("T", kAnyData)
    .attr("out", false, "Whether it leaves: it may then stay where it is.")
    .attr("above", -1, "In bytes; -1: half of the device's memory.")
    .between(-1, int64_t{1} << 62)
    .shape(shapes::same_as_first)
    .view(View)
    .grad([](GradContext& g) { g.set_dx(0, g.dy()); })
    .batch(batch_rules::leading)
    .cpu(copy_view<View>)
    .strided_inputs()
    .linear(Linear::kInFirst)
    .internal()
    .reference([](const std::vector<RefArray>& in, const Attrs&) {
      return std::vector<RefArray>{in[0]};
    })
    .samples({{.in = {{2, 3}}},
              {.in = {{4}}, .attrs = {{"out", true}, {"above", 100}}}});

}  // namespace
}  // namespace sluice
