#include "sluice/ops/nn/glu.h"

#include "sluice/op/batch_rules.h"
#include "sluice/op/decompose_context.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  PartialShape half;
  SL_RETURN_IF_ERROR(glu::HalfShape(c, 0, &half));
  c.set_out(0, half);
  return OkStatus();
}

template <class T>
struct GluLoop {
  static SL_INLINE void Run(const T* a, const T* b, int64_t n, T* y) {
    using C = Compute<T>;
    SL_VECTORIZE_BY(2)
    for (int64_t i = 0; i < n; ++i) {
      y[i] = static_cast<T>(static_cast<C>(a[i]) *
                            vmath::Sigmoid(static_cast<C>(b[i])));
    }
  }
};

Status Launch(KernelContext& ctx) {
  DispatchFloats(ctx.in(0).dtype(), [&]<class T>() {
    const T* x = ctx.in(0).data<T>();
    T* y = ctx.out(0).mutable_data<T>();
    glu::ForStretches(ctx, ctx.in(0).shape(),
                      [&](int64_t a, int64_t b, int64_t to, int64_t n) {
                        isa::Call<GluLoop<T>>(x + a, x + b, n, y + to);
                        ctx.Finish(to, n);
                      });
  });
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  int axis = ref::Axis(attrs.get<int64_t>("axis"), in[0].shape.rank());
  Ints dims = ref::DimsOf(in[0].shape);
  int64_t half = dims[static_cast<size_t>(axis)] /= 2;
  return {ref::Build(ref::MakeShape(dims), [&](const Ints& at) {
    return ref::At(in[0], at) /
           (1 + std::exp(-ref::At(in[0], glu::Other(at, axis, half))));
  })};
}

}  // namespace

SL_OP(Glu)
    .doc(
        "The gated linear unit: the first half of x along an axis times the "
        "sigmoid of the second half.")
    .input("x: T")
    .output("y: T")
    .types("T", kFloats)
    .attr("axis", -1, "The axis that is halved.")
    .shape(Infer)
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("GluGrad", {g.dy(), g.in(0)}, g.attrs()));
    })
    .batch(batch_rules::along_axis)
    .decompose([](DecomposeContext& d) {
      RuleVar x = d.in(0);
      RuleVars halves = d.call_all(
          "Split", {&x, 1}, {{"num", 2}, {"axis", d.attr<int64_t>("axis")}});
      if (halves.size() == 2) {
        d.set(halves[0] * d.call("Sigmoid", {halves[1]}));
      }
    })
    .cpu(Launch)
    .fuse_output()
    .max_ulp(4)
    .reference(Reference)
    .samples({{.in = {{6}}},
              {.in = {{3, 8}}},
              {.in = {{2, 4, 3}}, .attrs = {{"axis", 1}}},
              {.in = {{3, 20000}}, .only = {DType::kF32, DType::kF16}},
              {.in = {{0, 4}}},
              {.in = {{2, 0}}}})
    .rejects({{.in = {{2, 3}},
               .message = "[Glu] x is f32[2,3]; wanted an even size of axis 1"},
              {.in = {Shape()},
               .message = "[Glu] x is f32[]; wanted rank 1 or more"},
              {.in = {{2}},
               .attrs = {{"axis", 1}},
               .message = "[Glu] axis 1 is out of range"}});

}  // namespace sluice
