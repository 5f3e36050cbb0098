#include "number_checks.h"

#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "op_call.h"

namespace sluice::py {

namespace {

Given Typed(Tensor tensor) { return {std::move(tensor), {}, false, true}; }

Given Number(double value) {
  return {{}, Array::Scalar<double>(value), false, true};
}
Given Whole(int64_t value) {
  return {{}, Array::Scalar<int64_t>(value), false, true};
}

Given Real(const Given& in) {
  if (!in.tensor.defined()) {
    return {{}, CastArray(in.array, DType::kF64), false, true};
  }
  if (in.dtype() == DType::kF64) return Typed(in.tensor);
  return Typed(CallOne("Cast", {Typed(in.tensor)}, {{"dtype", DType::kF64}}));
}

bool AreWhole(std::span<const Given, 2> sides) {
  return IsInteger(sides[0].dtype()) && IsInteger(sides[1].dtype());
}

void Want(Tensor holds, const std::string& words) {
  Given inputs[] = {Typed(std::move(holds))};
  CallOp(OpNamed("Assert"), inputs, {{"message", words}});
}

Tensor And(Tensor a, Tensor b) {
  return CallOne("LogicalAnd", {Typed(std::move(a)), Typed(std::move(b))});
}

// Checks that a result, computed in doubles, fits 64 bits. Doubles round, so
// results close to the limit are refused too: the code itself computes them.
Tensor Held(Tensor result) {
  Tensor size = CallOne("Abs", {Typed(std::move(result))});
  return CallOne("Less", {Typed(std::move(size)), Number(9.22e18)});
}

// A small literal, such as a counter's increment: Held() leaves a margin of
// 2^51, more increments than any program makes. The same holds for numbers
// taken from a tensor (number_of in _convert/values.py).
bool IsStep(const Given& side) {
  constexpr int64_t kSmall = int64_t{1} << 20;
  if (side.tensor.defined()) return false;
  int64_t value = *side.array.data<int64_t>();
  return -kSmall <= value && value <= kSmall;
}

constexpr char kTooLarge[] = "a number of more than 64 bits";

void WantTotal(std::string_view op, std::span<const Given, 2> sides) {
  if (!AreWhole(sides) || IsStep(sides[0]) || IsStep(sides[1])) return;
  Want(Held(CallOne(op, {Real(sides[0]), Real(sides[1])})), kTooLarge);
}

}  // namespace

void WantDivisor(std::span<const Given, 2> sides) {
  const Given& by = sides[1];
  if (by.dtype() != DType::kF64) return;  // for integers the op refuses it
  Tensor there;
  if (by.tensor.defined()) {
    there = CallOne("NotEqual", {Real(by), Number(0)});
  } else if (*by.array.data<double>() == 0) {
    Given side = Real(sides[0]);
    there = CallOne("Less", {side, side});  // never
  }
  if (there.defined()) Want(std::move(there), "division by zero");
}

void WantSum(std::span<const Given, 2> sides) { WantTotal("Add", sides); }

void WantDifference(std::span<const Given, 2> sides) {
  WantTotal("Sub", sides);
}

void WantProduct(std::span<const Given, 2> sides) {
  if (!AreWhole(sides)) return;
  Want(Held(CallOne("Mul", {Real(sides[0]), Real(sides[1])})), kTooLarge);
}

void WantPower(std::span<const Given, 2> sides) {
  Given base = Real(sides[0]), exponent = Real(sides[1]);
  Tensor power = CallOne("Pow", {base, exponent});
  if (AreWhole(sides)) return Want(Held(std::move(power)), kTooLarge);
  // Python raises if the result is infinite, and returns complex numbers if
  // there is no real one; operands that are not finite are treated as here.
  Tensor wanted = CallOne("IsFinite", {Typed(std::move(power))});
  for (const Given& side : {base, exponent}) {
    if (!side.tensor.defined()) {
      if (!std::isfinite(*side.array.data<double>())) return;
      continue;
    }
    Tensor free = CallOne("LogicalNot", {Typed(CallOne("IsFinite", {side}))});
    wanted = CallOne("LogicalOr",
                     {Typed(std::move(wanted)), Typed(std::move(free))});
  }
  Want(std::move(wanted), "a power that is no number");
}

void WantShifted(std::span<const Given, 2> sides) {
  if (!AreWhole(sides)) return;
  Given base = Real(sides[0]), places = Real(sides[1]);
  if (!places.tensor.defined()) {
    double n = *places.array.data<double>();
    Given power = Number(n < 0 ? std::nan("") : std::exp2(n));
    return Want(Held(CallOne("Mul", {base, power})), kTooLarge);
  }
  Given power = Typed(CallOne("Exp2", {places}));
  Tensor held = Held(CallOne("Mul", {base, power}));
  Tensor there = CallOne("GreaterEqual", {places, Number(0)});
  Want(And(std::move(held), std::move(there)), kTooLarge);
}

void WantExact(const Given& side) {
  constexpr double kMost = double{int64_t{1} << 53};
  if (side.dtype() != DType::kI64) return;
  Given real = Real(side);
  if (side.tensor.defined()) {
    Tensor size = CallOne("Abs", {real});
    Want(CallOne("Less", {Typed(std::move(size)), Number(kMost)}),
         "a number of more than 53 bits beside a float");
  } else if (std::abs(*real.array.data<double>()) >= kMost) {
    Want(CallOne("Less", {real, real}), "a number of more than 53 bits");
  }
}

void WantHeldBy(const Tensor& number, DType dtype) {
  const int bits = static_cast<int>(DTypeSize(dtype)) * 8;
  const int64_t top = static_cast<int64_t>(
      ~uint64_t{0} >> (IsSigned(dtype) || bits == 64 ? 65 - bits : 64 - bits));
  const int64_t least = IsSigned(dtype) ? -top - 1 : 0;
  Tensor above = CallOne("GreaterEqual", {Typed(number), Whole(least)});
  Tensor below = CallOne("LessEqual", {Typed(number), Whole(top)});
  Want(And(std::move(above), std::move(below)),
       "a number that the type of the tensor beside it does not hold");
}

}  // namespace sluice::py
