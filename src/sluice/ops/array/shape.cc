#include "sluice/kernels/reference.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  int64_t rank = c.in(0).rank_known() ? c.in(0).rank() : kUnknownDim;
  c.set_out(0, PartialShape({rank}));
  return OkStatus();
}

Status Launch(KernelContext& ctx) {
  int64_t* y = ctx.out(0).mutable_data<int64_t>();
  for (int64_t d : ctx.in(0).shape().dims()) *y++ = d;
  return OkStatus();
}

}  // namespace

SL_OP(Shape)
    .doc("The sizes of x's axes.")
    .input("x: any")
    .output("y: i64")
    .shape(Infer)
    .batch([](BatchContext& b) {
      // A shape is the same for all lanes.
      b.set(0, b.sizes(b.in(0), 1), false);
      return true;
    })
    .cpu(Launch)
    .strided_inputs()
    .shape_only()
    .role(Role::kShape)
    .reference([](const std::vector<RefArray>& in, const Attrs&) {
      RefArray y{{in[0].shape.rank()}, {}};
      for (int64_t d : in[0].shape.dims())
        y.v.push_back(static_cast<double>(d));
      return std::vector<RefArray>{y};
    })
    .samples({{.in = {{2, 3}}},
              {.in = {Shape()}},
              {.in = {{0, 4, 2}}},
              {.in = {Array::Vector<std::string>({"a", "b"})}}});

}  // namespace sluice
