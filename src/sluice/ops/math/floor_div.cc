#include <cmath>
#include <limits>

#include "sluice/kernels/cpu/checked_binary.h"
#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/face.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

struct FloorDivFn {
  template <class C>
  static C Apply(C a, C b) {
    // floor(a / b) is one too many when the quotient rounds up to a whole
    // number; going through the remainder, which is exact, is not.
    C r = std::fmod(a, b);
    C q = (a - r) / b;
    if (r != 0 && (r < 0) != (b < 0)) q -= 1;
    // For zero b, the plain quotient. For infinite b the quotient is -0 where
    // the floor is -1: -1 / inf is slightly less than 0.
    if (!(std::fabs(b) > 0)) return std::floor(a / b);
    // -0.0 / 2 is -0.0, which a - r is not.
    return q == 0 ? std::copysign(q, a / b) : std::nearbyint(q);
  }
};

struct FloorDivInt {
  static constexpr const char* kError = "integer division by zero";
  template <class C>
  static bool Valid(C, C b) {
    return b != 0;
  }
  template <class C>
  static C Apply(C a, C b) {
    if (std::is_signed_v<C> && b == C(-1)) return Wrap<C>(0 - ToWrap(a));
    C q = static_cast<C>(a / b);
    return a % b != 0 && (a < 0) != (b < 0) ? static_cast<C>(q - 1) : q;
  }
};

std::vector<Sample> Samples() {
  std::vector<Sample> samples = BinarySamples(1, 9);
  samples.push_back({.in = {Array::Vector<int32_t>({7, -7, 7, -7, 0}),
                            Array::Vector<int32_t>({2, 2, -2, -2, -1})}});
  samples.push_back({.in = {Array::Vector<float>({7, -7, 7, -7, 0, 6, -6}),
                            Array::Vector<float>({2, 2, -2, -2, -1, 3, 3})}});
  constexpr float kInf = std::numeric_limits<float>::infinity();
  samples.push_back({.in = {Array::Vector<float>({-1, 1, 1, -1}),
                            Array::Vector<float>({kInf, kInf, -kInf, -kInf})}});
  return samples;
}

std::vector<Reject> Rejects() {
  std::vector<Reject> rejects = BinaryRejects("FloorDiv");
  rejects.push_back(
      {.in = {Array::Vector<int64_t>({1}), Array::Vector<int64_t>({0})},
       .message = "[FloorDiv] integer division by zero"});
  return rejects;
}

}  // namespace

SL_OP(FloorDiv)
    .doc(
        "floor(a / b), elementwise with broadcasting. Dividing an integer by "
        "zero is an error.")
    .input("a: T")
    .input("b: T")
    .output("y: T")
    .types("T", kReals)
    .no_grad("it rounds")
    .elementwise(binary_block<FloorDivFn, FloatTypes>)
    .cpu(checked_int_kernel<FloorDivInt>)
    .reference([](double a, double b) {
      if (std::isinf(b) && std::isfinite(a)) {
        return a != 0 && (a < 0) != (b < 0) ? -1.0 : 0.0;
      }
      return std::floor(a / b);
    })
    .samples(Samples())
    .rejects(Rejects());
SL_FACE(FloorDiv).method();

}  // namespace sluice
