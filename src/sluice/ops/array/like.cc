// OnesLike and ZerosLike.
#include "sluice/kernels/cpu/copy.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/family.h"

namespace sluice {
namespace {

template <int kValue>
Status Launch(KernelContext& ctx) {
  const Array& y = ctx.out(0);
  FillElements(y.dtype(), ElementOf(kValue, y.dtype()).bytes, y.num_elements(),
               y.mutable_raw(), ctx.step().pool);
  return OkStatus();
}

OpDefinition& Like(OpDefinition&& op, std::string_view name) {
  return op.input("x: T")
      .output("y: T")
      .types("T", kPlain)
      .shape(shapes::same_as_first)
      .no_grad("it reads the shape of x alone")
      .batch(batch_rules::leading)
      .strided_inputs()
      .shape_only()
      .samples({{.in = {{2, 3}}}, {.in = {Shape()}}, {.in = {{0, 4}}}})
      .rejects(UnaryRejects(name));
}

}  // namespace

SL_OP_OF(OnesLike, Like)
    .doc("Ones of x's shape and type.")
    .cpu(Launch<1>)
    .reference([](double) { return 1.0; });

SL_OP_OF(ZerosLike, Like)
    .doc("Zeros of x's shape and type.")
    .cpu(Launch<0>)
    .role(Role::kZerosLike)
    .reference([](double) { return 0.0; });

}  // namespace sluice
