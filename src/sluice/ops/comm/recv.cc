// Recv: the receiving end of an edge between two tasks; see Send.
#include "sluice/base/strings.h"
#include "sluice/op/record.h"
#include "sluice/op/rendezvous.h"

namespace sluice {
namespace {

void Received(void* context, Status status, Array value) {
  auto& ctx = *static_cast<AsyncContext*>(context);
  if (!status.ok()) return ctx.Done(std::move(status));
  DType dtype = ctx.attr<DType>("dtype");
  const auto& shape = ctx.attr<PartialShape>("shape");
  if (value.dtype() != dtype || !shape.Covers(value.shape())) {
    return ctx.Done(ctx.Error(StrCat("got ", value.TypeText(), " from ",
                                     ctx.attr<std::string>("from"), "; wanted ",
                                     TypeText(dtype, shape))));
  }
  ctx.set_out(0, std::move(value));
  ctx.Done(OkStatus());
}

void Launch(AsyncContext& ctx) {
  Rendezvous* rendezvous = ctx.step().rendezvous;
  if (!rendezvous) {
    return ctx.Done(
        ctx.Error(Code::kFailedPrecondition,
                  StrCat("there is nowhere to receive from \"",
                         ctx.attr<std::string>("from"),
                         "\"; wanted a step that runs in several tasks")));
  }
  MessageKey key{static_cast<uint32_t>(ctx.attr<int64_t>("edge")),
                 ctx.step().tag};
  rendezvous->Receive(key, {Received, &ctx});
}

Status InferShape(ShapeContext& c) {
  c.set_out(0, c.attr<PartialShape>("shape"));
  return OkStatus();
}

// Keyed by the iteration, as Send is.
SL_OP(Recv)
    .doc(
        "What another task of the step sends by the Send with the same edge; "
        "no thread waits for it.")
    .output("y: dtype")
    .attr("dtype", AttrKind::kDType, "Of what is sent.")
    .attr("shape", PartialShape(), "Of what is sent, as far as it is known.")
    .attr("edge", AttrKind::kInt, "Which of the step's edges between tasks.")
    .between(0, (int64_t{1} << 32) - 1)
    .attr("from", "", "The task it comes from, for messages.")
    .attr("to", "", "The task this is, for messages.")
    .shape(InferShape)
    .cpu_async(Launch)
    .dynamic_output()
    .stateful()
    .random()
    .internal();

}  // namespace
}  // namespace sluice
