#include <cstdio>

#include "sluice/base/strings.h"
#include "sluice/op/grad_context.h"
#include "sluice/tensor/strided.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  const Array &x = ctx.in(0), &y = ctx.out(0);
  std::string line = StrCat(ctx.attr<std::string>("message"),
                            x.ToString(ctx.attr<int64_t>("limit")), "\n");
  // A single call, so that lines of concurrent steps do not mix.
  std::fwrite(line.data(), 1, line.size(), stderr);
  if (y.raw() != x.raw()) CopyStrided(x, y);
  return OkStatus();
}

}  // namespace

SL_OP(Print)
    .doc("x itself, printed to stderr on the way.")
    .input("x: T")
    .output("y: T")
    .types("T", kAnyData)
    .attr("message", "", "What to print before the value.")
    .attr("limit", 16, "How many elements to print at most.")
    .between(0, 1 << 20)
    .shape(shapes::same_as_first)
    .grad([](GradContext& g) { g.set_dx(0, g.dy()); })
    .cpu(Launch)
    .in_place()
    .global_effect("stdout")
    .reference([](const std::vector<RefArray>& in, const Attrs&) {
      return std::vector<RefArray>{in[0]};
    })
    .samples({{.in = {{2, 2}}, .attrs = {{"message", "x = "}}},
              {.in = {{0}}, .only = {DType::kF32}}});

}  // namespace sluice
