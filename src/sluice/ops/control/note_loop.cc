// NoteLoop: the op that a report of loops (passes/report_loops.h) inserts into
// them.
#include "sluice/op/record.h"
#include "sluice/ops/list/kept_bytes.h"
#include "sluice/state/loop_log.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  const Array& handle = ctx.in(0);
  if (!handle.handle() || handle.handle()->tag() != LoopLog::kKind) {
    return ctx.Error("log is something else; wanted a log of loops");
  }
  auto& log = static_cast<LoopLog&>(*handle.handle());
  int64_t bytes = 0;
  for (int i = 1; i < ctx.num_inputs(); ++i) bytes += KeptBytes(ctx.in(i));
  const auto& loop = ctx.attr<std::string>("loop");
  std::string line = ctx.node().line.known() ? ctx.node().line.ToString() : "";
  bool again = ctx.attr<bool>("again");
  if (ctx.attr<bool>("end")) {
    log.End(loop, line, again, bytes);
  } else {
    log.Trip(loop, line, again, bytes);
  }
  return OkStatus();
}

SL_OP(NoteLoop)
    .doc("Says that an iteration of a loop begins, or that it has ended.")
    .input("log: resource")
    .input("kept: list*")
    .attr("loop", AttrKind::kString, "Its name.")
    .attr("end", false, "It has ended.")
    .attr("again", false, "It repeats iterations of that loop.")
    .shape(shapes::none)
    .cpu(Launch)
    .stateful()
    .internal()
    .rejects({{.in = {Array::Zeros(DType::kResource, {})},
               .attrs = {{"loop", "l"}},
               .message = "[NoteLoop] log is something else; wanted a log of "
                          "loops"}});

}  // namespace
}  // namespace sluice
