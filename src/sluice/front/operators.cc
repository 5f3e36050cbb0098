#include "sluice/front/operators.h"

#include "sluice/front/call.h"

namespace sluice {

namespace {

Tensor Binary(std::string_view op, Operand& a, Operand& b) {
  Operand operands[] = {std::move(a), std::move(b)};
  static const Attrs none;  // made once: calls come by the million
  return front_internal::CallOne(op, operands, none, "", operands[0].where());
}

}  // namespace

Tensor operator+(Operand a, Operand b) { return Binary("Add", a, b); }
Tensor operator-(Operand a, Operand b) { return Binary("Sub", a, b); }
Tensor operator*(Operand a, Operand b) { return Binary("Mul", a, b); }
Tensor operator/(Operand a, Operand b) { return Binary("Div", a, b); }
Tensor operator<(Operand a, Operand b) { return Binary("Less", a, b); }
Tensor operator<=(Operand a, Operand b) { return Binary("LessEqual", a, b); }
Tensor operator>(Operand a, Operand b) { return Binary("Greater", a, b); }
Tensor operator>=(Operand a, Operand b) { return Binary("GreaterEqual", a, b); }

Tensor operator-(Operand x) {
  return front_internal::CallOne("Neg", {&x, 1}, {}, "", x.where());
}

}  // namespace sluice
