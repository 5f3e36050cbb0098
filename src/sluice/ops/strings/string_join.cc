#include "sluice/ops/strings/string_broadcast.h"
#include "sluice/ops/strings/string_map.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  if (c.num_inputs() == 0) {
    return c.Error("has no inputs; wanted at least one");
  }
  return shapes::broadcast(c);
}

Status Launch(KernelContext& ctx) {
  const std::string& separator = ctx.attr<std::string>("separator");
  std::string* to = ctx.out(0).mutable_data<std::string>();
  string_op::ForEachBroadcast(
      ctx.out(0).shape(), string_op::StridesOf(ctx),
      [&](int64_t i, const std::vector<int64_t>& at) {
        std::string text;
        for (int k = 0; k < ctx.num_inputs(); ++k) {
          if (k) text += separator;
          text += ctx.in(k).data<std::string>()[at[static_cast<size_t>(k)]];
        }
        to[i] = std::move(text);
      });
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  return {ref::Map(in, [&](const std::vector<double>& v) {
    std::string text = string_op::Digits(v[0]);
    for (size_t k = 1; k < v.size(); ++k) {
      text += attrs.get<std::string>("separator") + string_op::Digits(v[k]);
    }
    return string_op::Spelled(text);
  })};
}

}  // namespace

SL_OP(StringJoin)
    .doc(
        "Strings of several operands put together element by element, with a "
        "separator between them; shapes broadcast.")
    .input("xs: string*")
    .output("y: string")
    .attr("separator", "", "What to put between two of them.")
    .shape(Infer)
    .cpu(Launch)
    .reference(Reference)
    .samples({{.in = {{3}, {3}}, .lo = 1, .hi = 99},
              {.in = {{3}, {3}, {3}},
               .attrs = {{"separator", "0"}},
               .lo = 1,
               .hi = 99},
              {.in = {{2, 3}}, .lo = 1, .hi = 99},
              {.in = {{2, 3}, {3}, Shape()}, .lo = 1, .hi = 99},
              {.in = {{2, 1}, {1, 3}},
               .attrs = {{"separator", "."}},
               .lo = 1,
               .hi = 99},
              {.in = {Shape(), {2, 1, 2}, {3, 1}}, .lo = 1, .hi = 99},
              {.in = {{0, 2}, {2}}}})
    .rejects({{.in = {},
               .message = "[StringJoin] has no inputs; wanted at least one"},
              {.in = {Array::Zeros(DType::kString, {2}),
                      Array::Zeros(DType::kString, {3})},
               .message = "[StringJoin] shapes do not broadcast"},
              {.in = {{2}},
               .message = "[StringJoin] xs[0] is f32; wanted string"}});

}  // namespace sluice
