#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/grad_context.h"

namespace sluice {
namespace {

struct ReluFn {
  static constexpr TileOp kTile = TileOp::kRelu;
  template <class C>
  static C Apply(C x) {
    return x < 0 ? C(0) : x;
  }
};

}  // namespace

SL_OP(Relu)
    .doc("max(x, 0), elementwise; NaN stays NaN.")
    .input("x: T")
    .output("y: T")
    .types("T", kSignedReals)
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("ReluGrad", {g.dy(), g.out()}));
    })
    .elementwise(unary_block<ReluFn, SignedTypes>)
    .reference([](double x) { return x < 0 ? 0.0 : x; })
    .samples(UnarySamples())
    .rejects(UnaryRejects("Relu"));

}  // namespace sluice
