#include "sluice/kernels/cpu/convert.h"
#include "sluice/kernels/cpu/copy.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  const Array& y = ctx.out(0);
  const double one = 1;
  const void* from[] = {&one};
  alignas(16) char element[16];
  BlockKernel convert = ConvertBlock(DType::kF64, y.dtype());
  convert.fn(element, from, 1, convert.params);
  FillElements(y.dtype(), element, y.num_elements(), y.mutable_raw());
  return OkStatus();
}

}  // namespace

SL_OP(OnesLike)
    .doc("Ones of x's shape and type.")
    .input("x: T")
    .output("y: T")
    .types("T", kPlain)
    .shape(shapes::same_as_first)
    .cpu(Launch)
    .strided_inputs()
    .shape_only()
    .reference([](double) { return 1.0; })
    .samples({{.in = {{2, 3}}}, {.in = {Shape()}}, {.in = {{0, 4}}}})
    .rejects(UnaryRejects("OnesLike"));

}  // namespace sluice
