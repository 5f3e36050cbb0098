#include "sluice/base/strings.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  c.set_out(0, c.attr<PartialShape>("shape"));
  return OkStatus();
}

Status Launch(KernelContext& ctx) {
  return ctx.Error(StrCat("\"", ctx.node().name, "\" was not fed"));
}

}  // namespace

// Its output cannot be allocated in advance, and running it is always an error:
// the kernel only reports which placeholder was not fed.
SL_OP(Placeholder)
    .doc("A value that every step is given from outside.")
    .output("y: dtype")
    .types("dtype", kAnyData | DTypeSet{DType::kList})
    .attr("dtype", AttrKind::kDType, "The type of the value.")
    .attr("shape", PartialShape(), "What is known of its shape.")
    .shape(Infer)
    .cpu(Launch)
    .structural()
    .dynamic_output()
    .role(Role::kPlaceholder)
    .rejects({{.in = {},
               .attrs = {{"dtype", DType::kF32}},
               .message = "[Placeholder] \"\" was not fed"}});

}  // namespace sluice
