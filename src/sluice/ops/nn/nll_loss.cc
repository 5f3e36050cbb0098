#include "sluice/ops/nn/nll_loss.h"

#include "sluice/op/autocast_rule.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  PartialShape labels;
  SL_RETURN_IF_ERROR(nll::CheckShapes(c, 0, 1, &labels));
  bool none = c.attr<std::string>("reduction") == "none";
  c.set_out(0, none ? labels : PartialShape::Scalar());
  return OkStatus();
}

Status Launch(KernelContext& ctx) {
  const Array& labels = ctx.in(1);
  nll::View v(ctx.in(0).shape(), labels, ctx.attrs());
  SL_RETURN_IF_ERROR(CheckLabels(ctx, 1, v.classes, &v.ignored));
  DispatchFloats(ctx.in(0).dtype(), [&]<class T>() {
    using C = Compute<T>;
    const T* x = ctx.in(0).data<T>();
    T* y = ctx.out(0).mutable_data<T>();
    auto at = [&](int64_t k) {
      int64_t label = LabelAt(labels, k);
      return v.Ignores(label) ? C(0) : -static_cast<C>(x[v.At(k, label)]);
    };
    if (v.none) {
      ParallelFor(ctx.step().pool, v.count, loss::kChunk,
                  [&](int64_t begin, int64_t end) {
                    for (int64_t k = begin; k < end; ++k) {
                      y[k] = static_cast<T>(at(k));
                    }
                  });
      return;
    }
    double sum = loss::SumChunks(ctx.step().pool, v.count,
                                 [&](int64_t begin, int64_t end) -> double {
                                   double part = 0;
                                   for (int64_t k = begin; k < end; ++k) {
                                     part += static_cast<double>(at(k));
                                   }
                                   return part;
                                 });
    if (v.mean) sum /= static_cast<double>(nll::Counted(ctx, v, labels));
    *y = static_cast<T>(static_cast<C>(sum));
  });
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  auto ignored = static_cast<double>(attrs.get<int64_t>("ignore_index"));
  double sum = 0, count = 0;
  RefArray each = ref::Build(in[1].shape, [&](const Ints& at) {
    double label = ref::At(in[1], at);
    if (label == ignored) return 0.0;
    Ints index = at;
    index.insert(index.begin() + 1, static_cast<int64_t>(label));
    count += 1;
    sum -= ref::At(in[0], index);
    return -ref::At(in[0], index);
  });
  const std::string& reduction = attrs.get<std::string>("reduction");
  if (reduction == "none") return {each};
  return {{Shape(), {reduction == "mean" ? sum / count : sum}}};
}

}  // namespace

SL_OP(NllLoss)
    .doc(
        "The negative log likelihood: -x at the label, along axis 1 of x, "
        "which "
        "holds logarithms of probabilities (log_softmax). Labels of "
        "ignore_index count nothing, also not in the mean.")
    .input("x: T")
    .input("labels: I")
    .output("loss: T")
    .types("T", kFloats)
    .types("I", kIndices)
    .attr("ignore_index", -100, "The label of positions to leave out.")
    .attr("reduction", "mean",
          "none: one number per label; mean or sum: one for all.")
    .one_of({"none", "mean", "sum"})
    .shape(Infer)
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("NllLossGrad", {g.dy(), g.in(0), g.in(1)}, g.attrs()));
    })
    .cpu(Launch)
    .tolerance(2e-6)
    .reference(Reference)
    .samples({{.in = {{4, 3}, {4}}, .lo = 0, .hi = 2},
              {.in = {{2, 3, 4, 5}, {2, 4, 5}},
               .attrs = {{"reduction", "none"}},
               .lo = 0,
               .hi = 2},
              {.in = {{3, 2}, Array::Vector<int64_t>({1, -100, 0})}},
              {.in = {{3, 2}, Array::Vector<int32_t>({1, 0, 0})},
               .attrs = {{"ignore_index", 0}, {"reduction", "sum"}}},
              {.in = {{2, 5, 40000}, {2, 40000}},
               .lo = 0,
               .hi = 4,
               .only = {DType::kF32}},
              {.in = {{2, 2}, Array::Vector<int64_t>({-100, -100})}},
              {.in = {{0, 3}, {0}}, .attrs = {{"reduction", "sum"}}},
              {.in = {{0, 3, 2}, {0, 2}}, .attrs = {{"reduction", "none"}}}})
    .rejects({{.in = {{2, 3}, Array::Vector<int64_t>({0, 3})},
               .message = "[NllLoss] labels[1] is 3; wanted 0 <= label < 3 or "
                          "-100"},
              {.in = {{2, 3}, Array::Vector<int64_t>({0})},
               .message = "[NllLoss] x is f32[2,3], labels is i64[1]; wanted "
                          "one label for every vector along axis 1"},
              {.in = {{3}, Array::Vector<int64_t>({0})},
               .message = "[NllLoss] x is f32[3]; wanted rank 2 or more"}});
SL_AUTOCAST(NllLoss, kF32);

}  // namespace sluice
