#include "sluice/kernels/cpu/copy.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/op/simplify_context.h"

namespace sluice {
namespace {

bool View(const KernelContext& ctx, Array* view) {
  *view = ctx.in(0);
  return true;
}

}  // namespace

SL_OP(Identity)
    .doc("x itself.")
    .input("x: T")
    .output("y: T")
    .types("T", kAnything)
    .shape(shapes::same_as_first)
    .view(View)
    .grad([](GradContext& g) { g.set_dx(0, g.dy()); })
    .batch(batch_rules::leading)
    .cpu(copy_view<View>)
    .strided_inputs()
    .simplify("Identity(x) = x",
              [](SimplifyContext& s) {
                // With a device of its own it requests a copy there.
                return !s.has_device() && s.becomes(s.in(0));
              })
    .role(Role::kIdentity)
    .linear(Linear::kInFirst)
    .reference([](const std::vector<RefArray>& in, const Attrs&) {
      return std::vector<RefArray>{in[0]};
    })
    .samples({{.in = {{2, 3}}, .only = kAnyData},
              {.in = {Shape()}, .only = kAnyData},
              {.in = {{0, 4}}, .only = kAnyData}});

}  // namespace sluice
