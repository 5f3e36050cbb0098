// Send: the sending end of an edge between two tasks; see Recv.
#include "sluice/base/strings.h"
#include "sluice/op/record.h"
#include "sluice/op/rendezvous.h"

namespace sluice {
namespace {

void Launch(AsyncContext& ctx) {
  Rendezvous* rendezvous = ctx.step().rendezvous;
  if (!rendezvous) {
    return ctx.Done(ctx.Error(
        Code::kFailedPrecondition,
        StrCat("there is nowhere to send to \"", ctx.attr<std::string>("to"),
               "\"; wanted a step that runs in several tasks")));
  }
  MessageKey key{static_cast<uint32_t>(ctx.attr<int64_t>("edge")),
                 ctx.step().tag};
  rendezvous->Send(
      key, ctx.in(0),
      {[](void* context, Status status) {
         static_cast<AsyncContext*>(context)->Done(std::move(status));
       },
       &ctx});
}

// Keyed by the iteration it is in, as random numbers are: passes that would
// take it to another loop, or out of one, look for that trait.
SL_OP(Send)
    .doc(
        "Sends x to another task of the step, once for each iteration of the "
        "loops around; a Recv with the same edge gives it there.")
    .input("x: T")
    .types("T", kAnyData | DTypeSet{DType::kList})
    .attr("edge", AttrKind::kInt, "Which of the step's edges between tasks.")
    .between(0, (int64_t{1} << 32) - 1)
    .attr("from", "", "The task this is, for messages.")
    .attr("to", "", "The task it goes to, for messages.")
    .shape(shapes::none)
    .cpu_async(Launch)
    .stateful()
    .random()
    .internal();

}  // namespace
}  // namespace sluice
