#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/face.h"
#include "sluice/op/grad_context.h"
#include "sluice/op/simplify_context.h"
#include "sluice/ops/complex_grad.h"
#include "sluice/ops/elementwise.h"

namespace sluice {
namespace {

struct MulFn {
  static constexpr TileOp kTile = TileOp::kMul;
  template <class C>
  static C Apply(C a, C b) {
    if constexpr (std::is_same_v<C, complex64>) {
      return ComplexMul(a, b);
    } else {
      return Wrap<C>(ToWrap(a) * ToWrap(b));
    }
  }
};

// Not for floats: infinity * 0 is NaN, -1 * 0 is -0.
bool TimesZero(SimplifyContext& s) {
  constexpr int64_t kMaxElements = 1 << 16;  // computing more beats storing it
  bool zero = s.is(s.in(0), 0) || s.is(s.in(1), 0);
  if (!zero || !IsInteger(s.out_dtype()) || !s.out_shape().fully_known() ||
      s.out_shape().ToShape().num_elements() > kMaxElements) {
    return false;
  }
  Array zeros = Array::Zeros(s.out_dtype(), s.out_shape().ToShape());
  return s.becomes("Const", {}, {{"value", zeros}});
}

}  // namespace

SL_OP_OF(Mul, BinaryFunction)
    .doc("a * b, elementwise with broadcasting; integers wrap.")
    .types("T", kNumbers)
    .grad([](GradContext& g) {
      if (g.wants(0)) g.set_dx(0, g.dy() * Conjugate(g, g.in(1)));
      if (g.wants(1)) g.set_dx(1, g.dy() * Conjugate(g, g.in(0)));
    })
    .elementwise(binary_block<MulFn, NumberTypes>)
    .simplify("x * 1 = x", [](SimplifyContext& s) { return DropNeutral(s, 1); })
    .simplify("x * 0 = 0 for integers", TimesZero)
    .commutative()
    .associative()
    .role(Role::kMul)
    .linear(Linear::kInEither)
    .reference([](double a, double b) { return a * b; })
    .samples(BinarySamples());
SL_FACE(Mul).method().keeps({DType::kBool});

}  // namespace sluice
