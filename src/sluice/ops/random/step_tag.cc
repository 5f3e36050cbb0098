// StepTag: the value that distinguishes the random numbers of iterations
// (op/step_context.h).
#include "sluice/op/record.h"

namespace sluice {

SL_OP(StepTag)
    .doc("Which iteration of which loops this is; 0 outside of loops.")
    .output("tag: i64")
    .shape(shapes::scalar)
    .cpu([](KernelContext& ctx) {
      *ctx.out(0).mutable_data<int64_t>() =
          static_cast<int64_t>(ctx.step().tag);
      return OkStatus();
    })
    .random()
    .internal()
    .samples({{.in = {}}});

}  // namespace sluice
