#include <algorithm>

#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/reference.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRankAtLeast(0, 2));
  const PartialShape& x = c.in(0);
  if (!x.rank_known()) return OkStatus();
  std::vector<int64_t> dims(x.dims().begin(), x.dims().end() - 2);
  SL_ASSIGN_OR_RETURN(PartialShape out, PartialShape::Make(dims));
  c.set_out(0, out);
  return OkStatus();
}

Status Launch(KernelContext& ctx) {
  const Array &x = ctx.in(0), &out = ctx.out(0);
  int64_t rows = x.dim(x.rank() - 2), columns = x.dim(x.rank() - 1);
  int64_t n = rows < columns ? rows : columns;
  auto run = [&]<class T>() {
    using C = Compute<T>;
    const T* a = x.data<T>();
    T* y = out.mutable_data<T>();
    for (int64_t o = 0; o < out.num_elements(); ++o, a += rows * columns) {
      C sum = C(0);
      for (int64_t i = 0; i < n; ++i) {
        C v = static_cast<C>(a[i * (columns + 1)]);
        sum = Wrap<C>(ToWrap(sum) + ToWrap(v));
      }
      y[o] = static_cast<T>(sum);
    }
  };
  if (x.dtype() == DType::kC64) {
    run.template operator()<complex64>();
  } else {
    DispatchReals(x.dtype(), run);
  }
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in, const Attrs&) {
  const RefArray& x = in[0];
  Ints dims = ref::DimsOf(x.shape);
  int64_t n = std::min(dims[dims.size() - 2], dims[dims.size() - 1]);
  dims.resize(dims.size() - 2);
  return {ref::Build(ref::MakeShape(dims), [&](Ints index) {
    double sum = 0;
    for (int64_t i = 0; i < n; ++i) {
      Ints at = index;
      at.push_back(i);
      at.push_back(i);
      sum += ref::At(x, at);
    }
    return sum;
  })};
}

}  // namespace

SL_OP(Trace)
    .doc("The sum of the diagonal of each matrix of the last two axes.")
    .input("x: T")
    .output("y: T")
    .types("T", kNumbers)
    .shape(Infer)
    .grad([](GradContext& g) {
      GradVar dy = g.dy();
      for (int i = 0; i < 2; ++i)
        dy = g.call("ExpandDims", {dy}, {{"axis", -1}});
      g.set_dx(0, g.call("MatrixBandPart", {g.broadcast_as(dy, g.in(0))},
                         {{"lower", 0}, {"upper", 0}}));
    })
    .batch(batch_rules::leading)
    .cpu(Launch)
    .tolerance(1e-5)
    .reference(Reference)
    .samples({{.in = {{3, 3}}},
              {.in = {{2, 5}}},
              {.in = {{5, 2}}},
              {.in = {{2, 3, 4, 5}}},
              {.in = {{0, 3}}},
              {.in = {{2, 0, 0}}},
              {.in = {{0, 2, 2}}}})
    .rejects({{.in = {{3}},
               .message = "[Trace] x is f32[3]; wanted rank 2 or more"}});

}  // namespace sluice
