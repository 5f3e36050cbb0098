#include "sluice/op/grad_context.h"

namespace sluice {

namespace {

GradVar Call(const char* op, GradVar a, GradVar b) {
  if (!a || !b) return {};
  return a.context()->call(op, {a, b});
}

GradVar Number(GradVar like, double value) {
  return like ? like.context()->scalar(value, like.dtype()) : GradVar();
}

}  // namespace

GradVar operator+(GradVar a, GradVar b) { return Call("Add", a, b); }
GradVar operator-(GradVar a, GradVar b) { return Call("Sub", a, b); }
GradVar operator*(GradVar a, GradVar b) { return Call("Mul", a, b); }
GradVar operator/(GradVar a, GradVar b) { return Call("Div", a, b); }
GradVar operator-(GradVar a) {
  return a ? a.context()->call("Neg", {a}) : GradVar();
}
GradVar operator+(GradVar a, double b) { return a + Number(a, b); }
GradVar operator-(GradVar a, double b) { return a - Number(a, b); }
GradVar operator*(GradVar a, double b) { return a * Number(a, b); }
GradVar operator/(GradVar a, double b) { return a / Number(a, b); }
GradVar operator+(double a, GradVar b) { return b + a; }
GradVar operator-(double a, GradVar b) { return Number(b, a) - b; }
GradVar operator*(double a, GradVar b) { return b * a; }
GradVar operator/(double a, GradVar b) { return Number(b, a) / b; }

}  // namespace sluice
