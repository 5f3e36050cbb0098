// LeftShift and RightShift.
#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/record.h"
#include "sluice/ops/family.h"

namespace sluice {
namespace {

struct LeftShiftFn {
  template <class C>
  static C Apply(C a, C b) {
    constexpr unsigned kBits = sizeof(C) * 8;
    auto n = ToWrap(b);
    auto y = ToWrap(a) << (n & (kBits - 1));
    return n < kBits ? Wrap<C>(y) : C(0);
  }
};

double Left(double a, double b, int64_t bits) {
  auto x = static_cast<int64_t>(a), n = static_cast<int64_t>(b);
  if (n < 0 || n >= bits) return 0;
  return static_cast<double>(x * (int64_t{1} << n));
}

std::vector<Sample> Samples() {
  std::vector<Sample> samples = BinarySamples(0, 6, /*specials=*/false);
  samples.push_back(
      {.in = {Array::Vector<int32_t>({1, -1, 5, -5, 7, -7, 3, -8}),
              Array::Vector<int32_t>({31, 31, 32, 100, -1, -1, 0, 2})}});
  samples.push_back({.in = {Array::Vector<uint8_t>({255, 255, 255, 129}),
                            Array::Vector<uint8_t>({7, 8, 255, 1})}});
  return samples;
}

struct RightShiftFn {
  template <class C>
  static C Apply(C a, C b) {
    constexpr unsigned kBits = sizeof(C) * 8;
    // A negative count is a large one here.
    auto n = ToWrap(b);
    C y = static_cast<C>(a >> (n & (kBits - 1)));
    return n < kBits ? y : a < 0 ? static_cast<C>(-1) : C(0);
  }
};

double Right(double a, double b, int64_t bits) {
  auto x = static_cast<int64_t>(a), n = static_cast<int64_t>(b);
  if (n < 0 || n >= bits) return x < 0 ? -1 : 0;
  return static_cast<double>(x >> n);
}

template <double (*kShifted)(double a, double b, int64_t bits)>
std::vector<RefArray> Reference(const std::vector<RefArray>& in, const Attrs&) {
  int64_t bits = DTypeSize(in[0].dtype) * 8;
  return {ref::Map(in, [=](const std::vector<double>& v) {
    return kShifted(v[0], v[1], bits);
  })};
}

OpDefinition& Shift(OpDefinition&& op, std::string_view name) {
  return op.input("a: T")
      .input("b: T")
      .output("y: T")
      .types("T", kInts)
      .samples(Samples())
      .rejects(BinaryRejects(name, DType::kI32));
}

}  // namespace

SL_OP_OF(LeftShift, Shift)
    .doc(
        "a with its bits moved up by b places, elementwise with broadcasting. "
        "A count that is negative or not below the width of the type leaves 0.")
    .elementwise(binary_block<LeftShiftFn, IntTypes>)
    .reference(Reference<Left>);

SL_OP_OF(RightShift, Shift)
    .doc(
        "a with its bits moved down by b places, elementwise with "
        "broadcasting; the sign moves in from above. A count that is negative "
        "or not below the width of the type leaves 0, or -1 of a negative "
        "number.")
    .elementwise(binary_block<RightShiftFn, IntTypes>)
    .reference(Reference<Right>);

}  // namespace sluice
