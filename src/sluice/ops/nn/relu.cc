#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/face.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/elementwise.h"
#include "sluice/ops/nn/activation.h"

namespace sluice {
namespace {

struct ReluFn {
  static constexpr TileOp kTile = TileOp::kRelu;
  template <class C>
  static C Apply(C x) {
    if constexpr (std::is_unsigned_v<C>) {
      return x;
    } else {
      return x < 0 ? C(0) : x;
    }
  }
};

struct ReluGradFn {
  template <class C>
  static C Apply(C dy, C x) {
    return x > 0 ? dy : C(0);
  }
};

}  // namespace

SL_OP_OF(Relu, UnaryFunction)
    .doc("max(x, 0), elementwise; NaN stays NaN.")
    .types("T", kReals)
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("ReluGrad", {g.dy(), g.out()}));
    })
    .elementwise(unary_block<ReluFn, RealTypes>)
    .reference([](double x) { return x < 0 ? 0.0 : x; })
    .samples(UnarySamples());
SL_FACE(Relu).method().keeps(kInts | DTypeSet{DType::kBool});

SL_OP_OF(ReluGrad, ActivationGrad)
    .doc("The gradient of y = relu(x): dy where x (or y) is positive, else 0.")
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("ReluGrad", {g.dy(), g.in(1)}));
    })
    .elementwise(binary_block<ReluGradFn, FloatTypes>)
    .reference([](double dy, double x) { return x > 0 ? dy : 0.0; })
    .samples(BinarySamples(-5, 5, /*specials=*/false));

}  // namespace sluice
