#include <bit>
#include <cmath>
#include <limits>

#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/record.h"
#include "sluice/ops/elementwise.h"

namespace sluice {
namespace {

struct NextAfterFn {
  template <class C>
  static C Apply(C a, C b) {
    using U = std::conditional_t<sizeof(C) == 4, uint32_t, uint64_t>;
    constexpr U kSign = U(1) << (sizeof(C) * 8 - 1);
    // Neighbours of one sign are neighbouring integers.
    U bits = std::bit_cast<U>(a);
    bool away = (a < b) == (a > 0);
    C y = std::bit_cast<C>(away ? bits + 1 : bits - 1);
    C tiny = std::bit_cast<C>(U(1) | (std::bit_cast<U>(b) & kSign));
    y = a == 0 ? tiny : y;
    y = a == b ? b : y;
    return a != a || b != b ? a + b : y;
  }
};

// In the type of the operands: the neighbour of a float is not that of a
// double.
std::vector<RefArray> Reference(const std::vector<RefArray>& in, const Attrs&) {
  bool narrow = in[0].dtype == DType::kF32;
  return {ref::Map(in, [=](const std::vector<double>& v) -> double {
    if (!narrow) return std::nextafter(v[0], v[1]);
    return std::nextafterf(static_cast<float>(v[0]), static_cast<float>(v[1]));
  })};
}

std::vector<Sample> Samples() {
  std::vector<Sample> samples = BinarySamples();
  constexpr float kMax = std::numeric_limits<float>::max();
  samples.push_back(
      {.in = {Array::Vector<float>({kMax, -kMax, 1, 0, 1e-45f}),
              Array::Vector<float>({HUGE_VALF, -HUGE_VALF, 1, -1, -1})}});
  return samples;
}

}  // namespace

SL_OP_OF(NextAfter, BinaryFunction)
    .doc(
        "The number next to a on the way to b in their own type; b where they "
        "are equal. Elementwise with broadcasting.")
    .types("T", {DType::kF32, DType::kF64})
    .no_grad("it takes the smallest step there is")
    .elementwise(binary_block<NextAfterFn, Types<float, double>>)
    .reference(Reference)
    .samples(Samples());

}  // namespace sluice
