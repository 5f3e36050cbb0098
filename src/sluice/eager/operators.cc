#include "sluice/eager/operators.h"

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/eager/call.h"
#include "sluice/eager/default_float.h"

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

Operand AsFloat(const Operand& x) {
  DType dtype = front_internal::DefaultFloat();
  return Operand(front_internal::CallOne("Cast", {&x, 1}, {{"dtype", dtype}},
                                         "", x.where()),
                 x.where());
}

}  // namespace

Tensor operator+(Operand a, Operand b) { return Binary("Add", a, b); }
Tensor operator-(Operand a, Operand b) { return Binary("Sub", a, b); }
Tensor operator*(Operand a, Operand b) { return Binary("Mul", a, b); }
Tensor operator/(Operand a, Operand b) {
  // Integers divided give floats, as in Python; div() rounds toward zero.
  if (IsWhole(a) && IsWhole(b)) {
    a = AsFloat(a);
    b = AsFloat(b);
  }
  return Binary("Div", a, b);
}

namespace {

// Whether it has memory of its own to write to, or stands for one that has.
bool IsWritten(const Tensor& a) {
  if (!a.defined() || !a.symbolic()) return true;
  return a.traced() && !a.identity()->traced->number;
}

}  // namespace

Tensor& operator+=(Tensor& a, const Operand& b) {
  if (!IsWritten(a)) return a = Operand(a, b.where()) + b;
  a.add_(b, b.where());
  return a;
}
Tensor& operator-=(Tensor& a, const Operand& b) {
  if (!IsWritten(a)) return a = Operand(a, b.where()) - b;
  a.sub_(b, b.where());
  return a;
}
Tensor& operator*=(Tensor& a, const Operand& b) {
  if (!IsWritten(a)) return a = Operand(a, b.where()) * b;
  a.mul_(b, b.where());
  return a;
}
Tensor& operator/=(Tensor& a, const Operand& b) {
  if (!IsWritten(a)) return a = Operand(a, b.where()) / b;
  if (IsWhole(a)) {
    throw Error(
        InvalidArgument(StrCat("[Div] the result would be f32, and ",
                               DTypeName(a.dtype()),
                               " is written; wanted a = a / b, or div_()"))
            .WithLine(StrCat("at ", SourceLine::From(b.where()))));
  }
  a.div_(b, b.where());
  return a;
}
Tensor operator<(Operand a, Operand b) { return Binary("Less", a, b); }
Tensor operator<=(Operand a, Operand b) { return Binary("LessEqual", a, b); }
Tensor operator>(Operand a, Operand b) { return Binary("Greater", a, b); }
Tensor operator>=(Operand a, Operand b) { return Binary("GreaterEqual", a, b); }

Tensor operator-(Operand x) {
  return front_internal::CallOne("Neg", {&x, 1}, {}, "", x.where());
}

}  // namespace sluice
