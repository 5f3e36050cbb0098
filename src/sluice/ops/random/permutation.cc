#include "sluice/kernels/cpu/permutation.h"

#include "sluice/kernels/shape_value.h"
#include "sluice/ops/random/random_op.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  const int64_t dims[] = {c.attr<int64_t>("n")};
  SL_ASSIGN_OR_RETURN(PartialShape out, MakeOutShape(c, dims));
  c.set_out(0, out);
  return OkStatus();
}

Status Launch(KernelContext& ctx) {
  FillPermutation(random_op::KeyOf(ctx), ctx.out(0).num_elements(),
                  ctx.out(0).mutable_data<int64_t>());
  return OkStatus();
}

}  // namespace

SL_OP(Permutation)
    .doc(
        "The numbers 0 to n - 1 in random order. It depends on the session's "
        "seed, this op's seed and place in the graph, and the step, and on "
        "nothing else.")
    .input(random_op::kTagInput)
    .output("y: i64")
    .attr("n", AttrKind::kInt, "How many numbers.")
    .between(0, kMaxElements)
    .attr("seed", 0, random_op::kSeedDoc)
    .shape(Infer)
    .cpu(Launch)
    .random()
    .samples({{.in = {}, .attrs = {{"n", 100}}},
              {.in = {}, .attrs = {{"n", 5000}, {"seed", 3}}},
              {.in = {}, .attrs = {{"n", 1}}},
              {.in = {}, .attrs = {{"n", 0}}}});

}  // namespace sluice
