#include "sluice/kernels/samples.h"
#include "sluice/ops/strings/string_broadcast.h"
#include "sluice/ops/strings/string_map.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  const std::string* a = ctx.in(0).data<std::string>();
  const std::string* b = ctx.in(1).data<std::string>();
  bool* y = ctx.out(0).mutable_data<bool>();
  string_op::ForEachBroadcast(ctx.out(0).shape(), string_op::StridesOf(ctx),
                              [&](int64_t i, const std::vector<int64_t>& at) {
                                y[i] = a[at[0]] == b[at[1]];
                              });
  return OkStatus();
}

}  // namespace

SL_OP(StringEqual)
    .doc("Whether strings are equal, byte by byte; shapes broadcast.")
    .input("a: string")
    .input("b: string")
    .output("y: bool")
    .shape(shapes::broadcast)
    .cpu(Launch)
    .commutative()
    .reference([](double a, double b) -> double { return a == b; })
    .samples({{.in = {{50}, {50}}, .lo = 0, .hi = 3},
              {.in = {{4, 5}, {5}}, .lo = 0, .hi = 1},
              {.in = {Shape(), {4, 1}}, .lo = 0, .hi = 1},
              {.in = {{3, 1}, {1, 2}}, .lo = 0, .hi = 1},
              {.in = {{0}, {1}}}})
    .rejects({{.in = {Array::Zeros(DType::kString, {2}),
                      Array::Zeros(DType::kString, {3})},
               .message = "[StringEqual] shapes do not broadcast: a is "
                          "string[2], b is string[3]"}});

}  // namespace sluice
