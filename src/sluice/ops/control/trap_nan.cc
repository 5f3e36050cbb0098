#include "sluice/base/strings.h"
#include "sluice/kernels/finite_range.h"
#include "sluice/op/grad_context.h"
#include "sluice/op/registry.h"
#include "sluice/tensor/strided.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  const auto& op = c.attr<std::string>("op");
  if (!FindOp(op)) {
    return c.Error(StrCat("attribute op is \"", EscapeString(op),
                          "\"; wanted the name of an op"));
  }
  return shapes::same_as_first(c);
}

Status Launch(KernelContext& ctx) {
  const Array &x = ctx.in(0), &y = ctx.out(0);
  std::string bad = DescribeBad(x);
  if (!bad.empty()) {
    std::string text = StrCat("[", ctx.attr<std::string>("op"), "] ", bad);
    const auto& names = ctx.attr<std::vector<std::string>>("names");
    for (int i = 1; i < ctx.num_inputs(); ++i) {
      size_t k = static_cast<size_t>(i) - 1;
      StrAppend(text, i == 1 ? "; " : ", ",
                k < names.size() ? names[k] : StrCat("input ", k), " is ",
                DescribeRange(ctx.in(i)));
    }
    return InvalidArgument(text);
  }
  if (y.raw() != x.raw()) CopyStrided(x, y);
  return OkStatus();
}

}  // namespace

SL_OP(TrapNan)
    .doc(
        "x itself, when all of it is finite; else an error in the name of the "
        "op that made it, with what its inputs were. Put behind every op by a "
        "run that looks for the first NaN.")
    .input("x: T")
    .input("from: T*")
    .output("y: T")
    .types("T", kFloats)
    .attr("op", "TrapNan", "What made x; errors come in its name.")
    .attr("names", std::vector<std::string>(), "Of what it was made from.")
    .shape(Infer)
    .grad([](GradContext& g) { g.set_dx(0, g.dy()); })
    .cpu(Launch)
    .in_place()
    .role(Role::kTrapNan)
    .internal()
    .reference([](const std::vector<RefArray>& in, const Attrs&) {
      return std::vector<RefArray>{in[0]};
    })
    .samples({{.in = {{2, 2}, {3}}}, {.in = {{0}}}, {.in = {{}, {}, {2}}}})
    .rejects({{.in = {{2}},
               .attrs = {{"op", "Lok"}},
               .message = "[TrapNan] attribute op is \"Lok\"; wanted the name "
                          "of an op"},
              {.in = {Array::Scalar(std::numeric_limits<float>::infinity()),
                      Array::Scalar(0.0f)},
               .attrs = {{"op", "Log"},
                         {"names", std::vector<std::string>{"x"}}},
               .message = "[Log] element 0 of the result is inf (1 of 1 are "
                          "not finite); x is f32[] from 0 to 0"}});

}  // namespace sluice
