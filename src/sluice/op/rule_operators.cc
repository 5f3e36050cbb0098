#include "sluice/op/rule_context.h"

namespace sluice {

namespace {

RuleVar Call(const char* op, RuleVar a, RuleVar b) {
  if (!a || !b) return {};
  return a.context()->call(op, {a, b});
}

RuleVar Number(RuleVar like, double value) {
  return like ? like.context()->scalar(value, like.dtype()) : RuleVar();
}

}  // namespace

RuleVar operator+(RuleVar a, RuleVar b) { return Call("Add", a, b); }
RuleVar operator-(RuleVar a, RuleVar b) { return Call("Sub", a, b); }
RuleVar operator*(RuleVar a, RuleVar b) { return Call("Mul", a, b); }
RuleVar operator/(RuleVar a, RuleVar b) { return Call("Div", a, b); }
RuleVar operator-(RuleVar a) {
  return a ? a.context()->call("Neg", {a}) : RuleVar();
}
RuleVar operator+(RuleVar a, double b) { return a + Number(a, b); }
RuleVar operator-(RuleVar a, double b) { return a - Number(a, b); }
RuleVar operator*(RuleVar a, double b) { return a * Number(a, b); }
RuleVar operator/(RuleVar a, double b) { return a / Number(a, b); }
RuleVar operator+(double a, RuleVar b) { return b + a; }
RuleVar operator-(double a, RuleVar b) { return Number(b, a) - b; }
RuleVar operator*(double a, RuleVar b) { return b * a; }
RuleVar operator/(double a, RuleVar b) { return Number(b, a) / b; }

}  // namespace sluice
