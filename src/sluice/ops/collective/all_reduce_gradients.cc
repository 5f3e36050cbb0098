// AllReduceGradients: reduces a model's gradients over all ranks.
#include "sluice/ops/collective/collective_op.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  if (ctx.num_inputs() == 0) {
    return ctx.Error("xs is empty; wanted at least one input");
  }
  for (int i = 0; i < ctx.num_inputs(); ++i) ctx.set_out(i, ctx.in(i));
  return OkStatus();
}

Status Infer(ShapeContext& c) {
  if (c.num_inputs() == 0) {
    return c.Error("xs is empty; wanted at least one input");
  }
  for (int i = 0; i < c.num_inputs(); ++i) c.set_out(i, c.in(i));
  return OkStatus();
}

}  // namespace

SL_OP(AllReduceGradients)
    .doc(
        "The xs themselves. Their gradients are averaged over the ranks of a "
        "group, all of them in one all_reduce.")
    .input("xs: T*")
    .output("ys: T * xs")
    .types("T", kFloats)
    .attr("group", "world", "The process group.")
    .shape(Infer)
    .grad([](GradContext& g) {
      // Every rank sends the same gradients, whichever are requested here.
      std::vector<GradVar> flat, cut;
      for (int i = 0; i < g.num_outputs(); ++i) {
        flat.push_back(g.call("Reshape", {g.dy(i), g.ints({-1})}));
      }
      cut.push_back(
          g.call("AllReduce", {g.call("Concat", flat)},
                 {{"op", "avg"}, {"group", g.attr<std::string>("group")}}));
      for (GradVar part : flat) cut.push_back(g.shape_of(part));
      GradVars parts = g.call_all("ConcatGrad", cut);
      for (size_t i = 0; i < parts.size(); ++i) {
        int input = static_cast<int>(i);
        g.set_dx(input, g.reshape_as(parts[i], g.in(input)));
      }
    })
    .cpu(Launch)
    .dynamic_output()
    .stateful()  // of its gradient: two of them are not one
    .internal()
    .rejects({{.in = {}, .message = "[AllReduceGradients] xs is empty"}});

}  // namespace sluice
