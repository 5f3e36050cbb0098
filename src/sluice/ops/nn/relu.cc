#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/record.h"

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
    .elementwise(unary_block<ReluFn, SignedTypes>)
    .reference([](double x) { return x < 0 ? 0.0 : x; })
    .samples(UnarySamples())
    .rejects(UnaryRejects("Relu"));

}  // namespace sluice
