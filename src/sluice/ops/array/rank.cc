#include "sluice/kernels/reference.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  *ctx.out(0).mutable_data<int64_t>() = ctx.in(0).rank();
  return OkStatus();
}

}  // namespace

SL_OP(Rank)
    .doc("How many axes x has.")
    .input("x: any")
    .output("y: i64")
    .shape(shapes::scalar)
    .batch([](BatchContext& b) {
      RuleVar known =
          b.rank(0) >= 0
              ? b.integer(b.rank(0))
              : b.call("Sub", {b.call("Rank", {b.in(0)}), b.integer(1)});
      b.set(0, known, false);
      return true;
    })
    .cpu(Launch)
    .strided_inputs()
    .shape_only()
    .role(Role::kRank)
    .reference([](const std::vector<RefArray>& in, const Attrs&) {
      return std::vector<RefArray>{
          {Shape(), {static_cast<double>(in[0].shape.rank())}}};
    })
    .samples({{.in = {{2, 3}}},
              {.in = {Shape()}},
              {.in = {{0, 4, 2}}},
              {.in = {Array::Vector<std::string>({"a", "b"})}}});

}  // namespace sluice
