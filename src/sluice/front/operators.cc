#include "sluice/front/operators.h"

#include "sluice/front/call.h"

namespace sluice {

namespace {

Tensor Binary(std::string_view op, Operand& a, Operand& b) {
  Operand operands[] = {std::move(a), std::move(b)};
  static const Attrs none;  // made once: calls come by the million
  return front_internal::CallOne(op, operands, none, "", operands[0].where());
}

bool IsWhole(const Operand& x) {
  if (x.is_tensor() && !x.tensor().defined()) return false;
  DType dtype = x.is_tensor() ? x.tensor().dtype() : x.literal_value().dtype();
  return IsInteger(dtype) || dtype == DType::kBool;
}

Operand AsF32(const Operand& x) {
  return Operand(front_internal::CallOne(
                     "Cast", {&x, 1}, {{"dtype", DType::kF32}}, "", x.where()),
                 x.where());
}

}  // namespace

Tensor operator+(Operand a, Operand b) { return Binary("Add", a, b); }
Tensor operator-(Operand a, Operand b) { return Binary("Sub", a, b); }
Tensor operator*(Operand a, Operand b) { return Binary("Mul", a, b); }
Tensor operator/(Operand a, Operand b) {
  // Integers divided give floats, as in Python; div() rounds toward zero.
  if (IsWhole(a) && IsWhole(b)) {
    a = AsF32(a);
    b = AsF32(b);
  }
  return Binary("Div", a, b);
}
Tensor operator<(Operand a, Operand b) { return Binary("Less", a, b); }
Tensor operator<=(Operand a, Operand b) { return Binary("LessEqual", a, b); }
Tensor operator>(Operand a, Operand b) { return Binary("Greater", a, b); }
Tensor operator>=(Operand a, Operand b) { return Binary("GreaterEqual", a, b); }

Tensor operator-(Operand x) {
  return front_internal::CallOne("Neg", {&x, 1}, {}, "", x.where());
}

}  // namespace sluice
