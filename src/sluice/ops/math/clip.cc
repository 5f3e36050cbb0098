#include <limits>

#include "sluice/base/strings.h"
#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/reference.h"
#include "sluice/op/face.h"
#include "sluice/op/grad_context.h"

namespace sluice {
namespace {

// A bound in the op's own type: bounds beyond an integer type's range become
// its limits.
template <class C>
C Bound(double v) {
  if constexpr (std::is_integral_v<C>) {
    if (v <= static_cast<double>(std::numeric_limits<C>::min())) {
      return std::numeric_limits<C>::min();
    }
    if (v >= static_cast<double>(std::numeric_limits<C>::max())) {
      return std::numeric_limits<C>::max();
    }
  }
  return static_cast<C>(v);
}

template <class C>
struct Bounds {
  C lo, hi;
};

struct ClipFn {
  template <class C>
  static Bounds<C> Prepare(const BlockParams& params) {
    return {Bound<C>(params.p[0]), Bound<C>(params.p[1])};
  }
  template <class C>
  static C Apply(C x, const Bounds<C>& bounds) {
    C y = x < bounds.lo ? bounds.lo : x;  // comparisons keep NaN
    return y > bounds.hi ? bounds.hi : y;
  }
};

BlockKernel Pick(const Attrs& attrs, std::span<const DType> in, DType out) {
  BlockKernel kernel = unary_block<ClipFn, RealTypes>(attrs, in, out);
  kernel.params.p[0] = attrs.get<double>("min");
  kernel.params.p[1] = attrs.get<double>("max");
  return kernel;
}

Status Infer(ShapeContext& c) {
  if (!(c.attr<double>("min") <= c.attr<double>("max"))) {
    return c.Error(StrCat("min is ", c.attr<double>("min"), ", max is ",
                          c.attr<double>("max"), "; wanted min <= max"));
  }
  return shapes::same_as_first(c);
}

}  // namespace

SL_OP(Clip)
    .doc("x held between min and max, elementwise; NaN stays NaN.")
    .input("x: T")
    .output("y: T")
    .types("T", kReals)
    .attr("min", AttrKind::kFloat, "The smallest result.")
    .attr("max", AttrKind::kFloat, "The largest result.")
    .shape(Infer)
    .grad([](GradContext& g) {
      GradVar inside = g.call("Equal", {g.in(0), g.out()});
      GradVar zero = g.scalar(0, g.in(0).dtype());
      g.set_dx(0, g.call("Select", {inside, g.dy(), zero}));
    })
    .elementwise(Pick)
    .reference([](const std::vector<RefArray>& in, const Attrs& attrs) {
      double lo = attrs.get<double>("min"), hi = attrs.get<double>("max");
      return std::vector<RefArray>{
          ref::Map(in, [=](const std::vector<double>& v) {
            return v[0] < lo ? lo : v[0] > hi ? hi : v[0];
          })};
    })
    .samples({{.in = {{2, 3}}, .attrs = {{"min", 0}, {"max", 1}}},
              {.in = {Shape()}, .attrs = {{"min", 1}, {"max", 1}}},
              {.in = {{0}}, .attrs = {{"min", 0}, {"max", 1}}},
              {.in = {{131}},
               .attrs = {{"min", 0.0}, {"max", 100.0}},
               .lo = -100,
               .hi = 120},
              {.in = {Array::Vector<float>(
                   {std::numeric_limits<float>::quiet_NaN(), -5, 5,
                    std::numeric_limits<float>::infinity()})},
               .attrs = {{"min", -1.0}, {"max", 1.0}}},
              {.in = {{5}},
               .attrs = {{"min", -1e30}, {"max", 1e30}},
               .only = kInts | DTypeSet{DType::kF64}}})
    .rejects({{.in = {{2}},
               .attrs = {{"min", 2.0}, {"max", 1.0}},
               .message = "[Clip] min is 2, max is 1; wanted min <= max"}});
SL_FACE(Clip).keeps({DType::kBool});

}  // namespace sluice
