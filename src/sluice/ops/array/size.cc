#include "sluice/kernels/reference.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  *ctx.out(0).mutable_data<int64_t>() = ctx.in(0).num_elements();
  return OkStatus();
}

}  // namespace

SL_OP(Size)
    .doc("How many elements x has.")
    .input("x: any")
    .output("y: i64")
    .shape(shapes::scalar)
    .batch([](BatchContext& b) {
      b.set(0, b.call("Prod", {b.sizes(b.in(0), 1)}), false);
      return true;
    })
    .cpu(Launch)
    .strided_inputs()
    .shape_only()
    .role(Role::kSize)
    .reference([](const std::vector<RefArray>& in, const Attrs&) {
      return std::vector<RefArray>{
          {Shape(), {static_cast<double>(in[0].v.size())}}};
    })
    .samples({{.in = {{2, 3}}},
              {.in = {Shape()}},
              {.in = {{0, 4, 2}}},
              {.in = {Array::Vector<std::string>({"a", "b"})}}});

}  // namespace sluice
