#include "sluice/base/worker_pool.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/shape_value.h"
#include "sluice/op/grad_context.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRank(0, 0));
  SL_RETURN_IF_ERROR(c.WantRank(1, 0));
  Ints dims{c.attr<int64_t>("num")};
  SL_ASSIGN_OR_RETURN(PartialShape out, MakeOutShape(c, dims));
  c.set_out(0, out);
  return OkStatus();
}

Status Launch(KernelContext& ctx) {
  int64_t n = ctx.out(0).num_elements();
  DispatchFloats(ctx.out(0).dtype(), [&]<class T>() {
    auto start = static_cast<double>(ctx.in(0).data<T>()[0]);
    auto stop = static_cast<double>(ctx.in(1).data<T>()[0]);
    T* y = ctx.out(0).mutable_data<T>();
    double step = n > 1 ? (stop - start) / static_cast<double>(n - 1) : 0;
    // Counted from the nearer end, so that both ends are exact.
    ParallelFor(ctx.step().pool, n, 1 << 15, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        double v = 2 * i < n ? start + static_cast<double>(i) * step
                             : stop - static_cast<double>(n - 1 - i) * step;
        if constexpr (sizeof(T) == 2) {
          y[i] = T(static_cast<float>(v));
        } else {
          y[i] = static_cast<T>(v);
        }
      }
    });
  });
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  int64_t n = attrs.get<int64_t>("num");
  double start = in[0].v[0], stop = in[1].v[0];
  return {ref::Build(ref::MakeShape({n}), [&](const Ints& i) {
    if (n == 1) return start;
    double t = static_cast<double>(i[0]) / static_cast<double>(n - 1);
    return start * (1 - t) + stop * t;
  })};
}

}  // namespace

SL_OP(Linspace)
    .doc(
        "num numbers from start to stop, both included, at equal distances; "
        "start alone when num is 1.")
    .input("start: T")
    .input("stop: T")
    .output("y: T")
    .types("T", kFloats)
    .attr("num", AttrKind::kInt, "How many numbers.")
    .between(0, kMaxElements)
    .shape(Infer)
    .grad([](GradContext& g) {
      DType dtype = g.dy().dtype();
      GradVar t = g.call("Linspace", {g.scalar(0, dtype), g.scalar(1, dtype)},
                         g.attrs());
      if (g.wants(0)) g.set_dx(0, g.call("Sum", {g.dy() * (1.0 - t)}));
      if (g.wants(1)) g.set_dx(1, g.call("Sum", {g.dy() * t}));
    })
    .cpu(Launch)
    .tolerance(1e-6)
    .reference(Reference)
    .samples({{.in = {Shape(), Shape()}, .attrs = {{"num", 5}}},
              {.in = {Shape(), Shape()}, .attrs = {{"num", 2}}},
              {.in = {Shape(), Shape()}, .attrs = {{"num", 1}}},
              {.in = {Shape(), Shape()}, .attrs = {{"num", 0}}},
              {.in = {Array::Scalar(-3.0f), Array::Scalar(9.5f)},
               .attrs = {{"num", 70000}}}})
    .rejects({{.in = {{1}, Shape()},
               .attrs = {{"num", 2}},
               .message = "[Linspace] start is f32[1]; wanted rank 0"},
              {.in = {Shape(), Shape()},
               .attrs = {{"num", kMaxElements}},
               .message = "out of memory"}});

}  // namespace sluice
