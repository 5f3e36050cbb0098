// An op of the stranger's own.
#include <sluice/op.h>

namespace sl = sluice;

struct TwiceFn {
  template <class C>
  static C Apply(C x) {
    return x + x;
  }
};

SL_OP(StrangersTwice)
    .doc("2 x, elementwise.")
    .input("x: T")
    .output("y: T")
    .types("T", sl::kFloats)
    .grad([](sl::GradContext& g) { g.set_dx(0, g.dy() * 2.0); })
    .elementwise(sl::unary_block<TwiceFn>);
