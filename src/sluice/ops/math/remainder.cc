// Mod and Fmod.
#include <cmath>

#include "sluice/kernels/cpu/checked_binary.h"
#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/samples.h"
#include "sluice/op/face.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/family.h"

namespace sluice {
namespace {

struct ModFn {
  template <class C>
  static C Apply(C a, C b) {
    C r = std::fmod(a, b);
    if (r == 0) return std::copysign(r, b);
    return (r < 0) != (b < 0) ? r + b : r;
  }
};

struct ModInt {
  static constexpr const char* kError = "integer division by zero";
  template <class C>
  static bool Valid(C, C b) {
    return b != 0;
  }
  template <class C>
  static C Apply(C a, C b) {
    if (std::is_signed_v<C> && b == C(-1)) return 0;
    C r = static_cast<C>(a % b);
    return r != 0 && (r < 0) != (b < 0) ? static_cast<C>(r + b) : r;
  }
};

std::vector<Sample> Samples() {
  std::vector<Sample> samples = BinarySamples(1, 9);
  samples.push_back({.in = {Array::Vector<int32_t>({7, -7, 7, -7, 0}),
                            Array::Vector<int32_t>({2, 2, -2, -2, -1})}});
  samples.push_back({.in = {Array::Vector<float>({7, -7, 7, -7, 5.5f}),
                            Array::Vector<float>({2, 2, -2, -2, -1})}});
  return samples;
}

struct FmodFn {
  template <class C>
  static C Apply(C a, C b) {
    return std::fmod(a, b);
  }
};

struct FmodInt {
  static constexpr const char* kError = "integer division by zero";
  template <class C>
  static bool Valid(C, C b) {
    return b != 0;
  }
  template <class C>
  static C Apply(C a, C b) {
    if (std::is_signed_v<C> && b == C(-1)) return 0;
    return static_cast<C>(a % b);
  }
};

std::vector<Reject> Rejects(std::string_view name) {
  std::vector<Reject> rejects = BinaryRejects(name);
  rejects.push_back(
      {.in = {Array::Vector<uint8_t>({1}), Array::Vector<uint8_t>({0})},
       .message = StrCat("[", name, "] integer division by zero")});
  return rejects;
}

OpDefinition& Remainder(OpDefinition&& op, std::string_view name) {
  return op.input("a: T")
      .input("b: T")
      .output("y: T")
      .types("T", kReals)
      .samples(Samples())
      .rejects(Rejects(name));
}

}  // namespace

SL_OP_OF(Mod, Remainder)
    .doc(
        "The remainder of floor(a / b), elementwise with broadcasting: it has "
        "the sign of b, even where it is 0. Of an integer and zero it is an "
        "error.")
    .grad([](GradContext& g) {
      g.set_dx(0, g.dy());
      if (g.wants(1)) {
        g.set_dx(1, -g.times_dy(g.call("FloorDiv", {g.in(0), g.in(1)})));
      }
    })
    .elementwise(binary_block<ModFn, FloatTypes>)
    .cpu(checked_int_kernel<ModInt>)
    .reference([](double a, double b) {
      double r = std::fmod(a, b);
      if (r == 0) return std::copysign(r, b);
      return (r < 0) != (b < 0) ? r + b : r;
    });

SL_OP_OF(Fmod, Remainder)
    .doc(
        "The remainder of trunc(a / b), elementwise with broadcasting: it has "
        "the sign of a. Of an integer and zero it is an error.")
    .grad([](GradContext& g) {
      g.set_dx(0, g.dy());
      if (g.wants(1)) {
        g.set_dx(1, -g.times_dy(g.call("Trunc", {g.in(0) / g.in(1)})));
      }
    })
    .elementwise(binary_block<FmodFn, FloatTypes>)
    .cpu(checked_int_kernel<FmodInt>)
    .reference([](double a, double b) { return std::fmod(a, b); });
SL_FACE(Fmod).method();

}  // namespace sluice
