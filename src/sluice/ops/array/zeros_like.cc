#include "sluice/kernels/cpu/copy.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  const Array& y = ctx.out(0);
  FillElements(y.dtype(), ElementOf(0, y.dtype()).bytes, y.num_elements(),
               y.mutable_raw(), ctx.step().pool);
  return OkStatus();
}

}  // namespace

SL_OP(ZerosLike)
    .doc("Zeros of x's shape and type.")
    .input("x: T")
    .output("y: T")
    .types("T", kPlain)
    .shape(shapes::same_as_first)
    .no_grad("it reads the shape of x alone")
    .batch(batch_rules::leading)
    .cpu(Launch)
    .strided_inputs()
    .shape_only()
    .role(Role::kZerosLike)
    .reference([](double) { return 0.0; })
    .samples({{.in = {{2, 3}}}, {.in = {Shape()}}, {.in = {{0, 4}}}})
    .rejects(UnaryRejects("ZerosLike"));

}  // namespace sluice
