#include "sluice/op/batch_rules.h"
#include "sluice/ops/nn/glu.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  PartialShape half;
  SL_RETURN_IF_ERROR(glu::HalfShape(c, 1, &half));
  c.set_out(0, c.in(1));
  if (half.CompatibleWith(c.in(0))) return OkStatus();
  return c.Error(StrCat(c.Describe(0), "; wanted shape ", half, ", half of x"));
}

template <class T>
struct GluGradLoop {
  static SL_INLINE void Run(const T* dy, const T* a, const T* b, int64_t n,
                            T* da, T* db) {
    using C = Compute<T>;
    SL_VECTORIZE_BY(2)
    for (int64_t i = 0; i < n; ++i) {
      C s = vmath::Sigmoid(static_cast<C>(b[i]));
      C g = static_cast<C>(dy[i]) * s;
      da[i] = static_cast<T>(g);
      db[i] = static_cast<T>(g * (1 - s) * static_cast<C>(a[i]));
    }
  }
};

Status Launch(KernelContext& ctx) {
  DispatchFloats(ctx.in(0).dtype(), [&]<class T>() {
    const T *dy = ctx.in(0).data<T>(), *x = ctx.in(1).data<T>();
    T* dx = ctx.out(0).mutable_data<T>();
    glu::ForStretches(ctx, ctx.in(1).shape(),
                      [&](int64_t a, int64_t b, int64_t to, int64_t n) {
                        isa::Call<GluGradLoop<T>>(dy + to, x + a, x + b, n,
                                                  dx + a, dx + b);
                      });
  });
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  const RefArray &dy = in[0], &x = in[1];
  int axis = ref::Axis(attrs.get<int64_t>("axis"), x.shape.rank());
  auto a = static_cast<size_t>(axis);
  int64_t half = x.shape.dim(axis) / 2;
  return {ref::Build(x.shape, [&](const Ints& at) {
    bool first = at[a] < half;
    Ints low = first ? at : glu::Other(at, axis, -half);
    double s = 1 / (1 + std::exp(-ref::At(x, glu::Other(low, axis, half))));
    double g = ref::At(dy, low);
    return first ? g * s : g * ref::At(x, low) * s * (1 - s);
  })};
}

}  // namespace

SL_OP(GluGrad)
    .doc("The gradient of y = glu(x).")
    .input("dy: T")
    .input("x: T")
    .output("dx: T")
    .types("T", kFloats)
    .attr("axis", -1, "The axis that is halved.")
    .shape(Infer)
    .grad([](GradContext& g) {
      // dx = (dy s, dy a s (1 - s)) with x = (a, b) and s = sigmoid(b).
      Attrs halves = {{"num", 2}, {"axis", g.attr<int64_t>("axis")}};
      GradVar x = g.in(1), flow = g.dy();
      auto u = g.call_all("Split", {&flow, 1}, halves);
      auto ab = g.call_all("Split", {&x, 1}, halves);
      if (u.empty() || ab.empty()) return;
      GradVar s = g.call("Sigmoid", {ab[1]});
      if (g.wants(0)) {
        g.set_dx(0, u[0] * s + g.call("SigmoidGrad", {u[1] * ab[0], s}));
      }
      if (!g.wants(1)) return;
      GradVar da = g.call("SigmoidGrad", {u[1] * g.in(0), s});
      GradVar inner = u[0] + u[1] * ab[0] * (1.0 - 2.0 * s);
      GradVar db = g.call("SigmoidGrad", {g.in(0) * inner, s});
      g.set_dx(1,
               g.call("Concat", {da, db}, {{"axis", g.attr<int64_t>("axis")}}));
    })
    .batch(batch_rules::along_axis)
    .cpu(Launch)
    .internal()
    .tolerance(1e-6)
    .reference(Reference)
    .samples({{.in = {{3}, {6}}},
              {.in = {{3, 4}, {3, 8}}},
              {.in = {{2, 2, 3}, {2, 4, 3}}, .attrs = {{"axis", 1}}},
              {.in = {{3, 10000}, {3, 20000}}, .only = {DType::kF32}},
              {.in = {{0, 2}, {0, 4}}}})
    .rejects({{.in = {{2, 3}, {2, 3}},
               .message = "[GluGrad] x is f32[2,3]; wanted an even size of "
                          "axis 1"},
              {.in = {{2, 3}, {2, 4}},
               .message = "[GluGrad] dy is f32[2,3]; wanted shape [2,2]"},
              {.in = {{2}, {4}},
               .attrs = {{"axis", 1}},
               .message = "[GluGrad] axis 1 is out of range"}});

}  // namespace sluice
