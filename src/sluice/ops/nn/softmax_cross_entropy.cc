#include <cmath>

#include "sluice/base/strings.h"
#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/cpu/softmax.h"
#include "sluice/kernels/reference.h"
#include "sluice/op/record.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRank(0, 2));
  SL_RETURN_IF_ERROR(c.WantRank(1, 1));
  int64_t rows = c.in(0).rank_known() ? c.in(0)[0] : kUnknownDim;
  int64_t labels = c.in(1).rank_known() ? c.in(1)[0] : kUnknownDim;
  if (rows >= 0 && labels >= 0 && rows != labels) {
    return c.Error(StrCat("counts differ: ", c.Describe(0), ", ", c.Describe(1),
                          "; wanted one label per row"));
  }
  c.set_out(0,
            PartialShape({rows >= 0 || labels == kUnknownDim ? rows : labels}));
  return OkStatus();
}

template <class T, class I>
Status Run(KernelContext& ctx) {
  const T* logits = ctx.in(0).data<T>();
  const I* labels = ctx.in(1).data<I>();
  T* y = ctx.out(0).mutable_data<T>();
  int64_t n = ctx.in(0).dim(0), k = ctx.in(0).dim(1);
  for (int64_t i = 0; i < n; ++i) {
    if (labels[i] < 0 || labels[i] >= k) {
      return ctx.Error(StrCat("labels[", i, "] is ", int64_t{labels[i]},
                              "; wanted 0 <= label < ", k));
    }
  }
  for (int64_t i = 0; i < n; ++i) {
    const T* row = logits + i * k;
    y[i] = static_cast<T>(LogSumExp(row, k) -
                          static_cast<Compute<T>>(row[labels[i]]));
  }
  return OkStatus();
}

Status Launch(KernelContext& ctx) {
  Status status;
  DispatchFloats(ctx.in(0).dtype(), [&]<class T>() {
    DispatchIndex(ctx.in(1).dtype(),
                  [&]<class I>() { status = Run<T, I>(ctx); });
  });
  return status;
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in, const Attrs&) {
  return {ref::Build(in[1].shape, [&](const Ints& index) {
    double sum = 0;
    for (int64_t j = 0; j < in[0].shape.dim(1); ++j) {
      sum += std::exp(ref::At(in[0], {index[0], j}));
    }
    auto label = static_cast<int64_t>(ref::At(in[1], index));
    return std::log(sum) - ref::At(in[0], {index[0], label});
  })};
}

}  // namespace

SL_OP(SoftmaxCrossEntropy)
    .doc("-log(softmax(logits)[label]) for each row of logits.")
    .input("logits: T")
    .input("labels: I")
    .output("loss: T")
    .types("T", kFloats)
    .types("I", kIndices)
    .shape(Infer)
    .cpu(Launch)
    .tolerance(2e-6)
    .reference(Reference)
    .samples({{.in = {{4, 3}, {4}}, .lo = 0, .hi = 2},
              {.in = {{3, 101}, {3}}, .lo = 0, .hi = 20},
              {.in = {{1, 1}, {1}}, .lo = 0, .hi = 0},
              {.in = {{0, 3}, {0}}},
              {.in = {{0, 0}, {0}}}})
    .rejects({{.in = {{2, 3}, Array::Vector<int64_t>({0, 3})},
               .message = "[SoftmaxCrossEntropy] labels[1] is 3; wanted 0 <= "
                          "label < 3"},
              {.in = {{2, 3}, Array::Vector<int32_t>({-1, 0})},
               .message = "[SoftmaxCrossEntropy] labels[0] is -1; wanted"},
              {.in = {{1, 0}, Array::Vector<int64_t>({0})},
               .message = "[SoftmaxCrossEntropy] labels[0] is 0; wanted 0 <= "
                          "label < 0"},
              {.in = {{2, 3}, Array::Vector<int64_t>({0})},
               .message = "[SoftmaxCrossEntropy] counts differ: logits is "
                          "f32[2,3], labels is i64[1]; wanted one label per "
                          "row"},
              {.in = {{3}, Array::Vector<int64_t>({0})},
               .message = "[SoftmaxCrossEntropy] logits is f32[3]; wanted rank "
                          "2"}});

}  // namespace sluice
