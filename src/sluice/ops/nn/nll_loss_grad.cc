#include "sluice/ops/nn/nll_loss.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  PartialShape labels;
  SL_RETURN_IF_ERROR(nll::CheckShapes(c, 1, 2, &labels));
  c.set_out(0, c.in(1));
  PartialShape want = c.attr<std::string>("reduction") == "none"
                          ? labels
                          : PartialShape::Scalar();
  if (want.CompatibleWith(c.in(0))) return OkStatus();
  return c.Error(StrCat(c.Describe(0), "; wanted shape ", want));
}

Status Launch(KernelContext& ctx) {
  const Array& labels = ctx.in(2);
  nll::View v(ctx.in(1).shape(), labels, ctx.attrs());
  SL_RETURN_IF_ERROR(CheckLabels(ctx, 2, v.classes, &v.ignored));
  DispatchFloats(ctx.in(0).dtype(), [&]<class T>() {
    using C = Compute<T>;
    const T* dloss = ctx.in(0).data<T>();
    T* dx = ctx.out(0).mutable_data<T>();
    ParallelFor(ctx.step().pool, ctx.out(0).num_elements(), 1 << 16,
                [&](int64_t begin, int64_t end) {
                  std::fill(dx + begin, dx + end, T(0));
                });
    C by =
        v.mean ? C(-1) / static_cast<C>(nll::Counted(ctx, v, labels)) : C(-1);
    for (int64_t k = 0; k < v.count; ++k) {
      int64_t label = LabelAt(labels, k);
      if (v.Ignores(label)) continue;
      dx[v.At(k, label)] =
          static_cast<T>(static_cast<C>(dloss[v.none ? k : 0]) * by);
    }
  });
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  auto ignored = static_cast<double>(attrs.get<int64_t>("ignore_index"));
  const std::string& reduction = attrs.get<std::string>("reduction");
  double count = 0;
  for (double label : in[2].v) count += label == ignored ? 0 : 1;
  return {ref::Build(in[1].shape, [&](const Ints& index) {
    Ints at = index;
    at.erase(at.begin() + 1);
    double label = ref::At(in[2], at);
    if (label == ignored || label != static_cast<double>(index[1])) return 0.0;
    if (reduction == "none") return -ref::At(in[0], at);
    return -in[0].v[0] / (reduction == "mean" ? count : 1);
  })};
}

}  // namespace

SL_OP(NllLossGrad)
    .doc("The gradient of NllLoss by x; of x only the shape is read.")
    .input("dloss: T")
    .input("x: T")
    .input("labels: I")
    .output("dx: T")
    .types("T", kFloats)
    .types("I", kIndices)
    .attr("ignore_index", -100, "The label of positions to leave out.")
    .attr("reduction", "mean",
          "none: one number per label; mean or sum: one for all.")
    .one_of({"none", "mean", "sum"})
    .shape(Infer)
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("NllLoss", {g.dy(), g.in(2)}, g.attrs()));
    })
    .cpu(Launch)
    .internal()
    .tolerance(1e-6)
    .reference(Reference)
    .samples({{.in = {Shape(), {4, 3}, {4}}, .lo = 0, .hi = 2},
              {.in = {{2, 4, 5}, {2, 3, 4, 5}, {2, 4, 5}},
               .attrs = {{"reduction", "none"}},
               .lo = 0,
               .hi = 2},
              {.in = {Shape(), {3, 2}, Array::Vector<int64_t>({1, -100, 0})}},
              {.in = {Shape(), {3, 2}, Array::Vector<int32_t>({1, 0, 0})},
               .attrs = {{"ignore_index", 0}, {"reduction", "sum"}}},
              {.in = {Shape(), {0, 3}, {0}}}})
    .rejects({{.in = {Shape(), {2, 3}, Array::Vector<int64_t>({0, 3})},
               .message = "[NllLossGrad] labels[1] is 3; wanted 0 <= label < 3 "
                          "or -100"},
              {.in = {{2}, {2, 3}, Array::Vector<int64_t>({0, 0})},
               .message = "[NllLossGrad] dloss is f32[2]; wanted shape []"},
              {.in = {Shape(), {2, 3}, Array::Vector<int64_t>({0})},
               .message = "[NllLossGrad] x is f32[2,3], labels is i64[1]; "
                          "wanted one label"}});

}  // namespace sluice
