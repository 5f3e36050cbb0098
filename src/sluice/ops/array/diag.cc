#include "sluice/base/checked_math.h"
#include "sluice/base/worker_pool.h"
#include "sluice/kernels/cpu/copy.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/shape_value.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {
namespace {

// A diagonal at distance k from the main one makes the matrix larger by k.
int64_t Side(int64_t n, int64_t k) {
  int64_t side;
  bool fits = k >= 0 ? CheckedAdd(n, k, &side)
                     : k != INT64_MIN && CheckedAdd(n, -k, &side);
  return fits ? side : INT64_MAX;
}

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRankAtLeast(0, 1));
  const PartialShape& x = c.in(0);
  if (!x.rank_known()) return OkStatus();
  int64_t n = x[x.rank() - 1], k = c.attr<int64_t>("k");
  int64_t side = n >= 0 ? Side(n, k) : k == 0 ? n : kUnknownDim;
  Ints dims(x.dims().begin(), x.dims().end() - 1);
  dims.insert(dims.end(), 2, side);
  SL_ASSIGN_OR_RETURN(PartialShape out, MakeOutShape(c, dims));
  c.set_out(0, out);
  return OkStatus();
}

Status Launch(KernelContext& ctx) {
  const Array &x = ctx.in(0), &y = ctx.out(0);
  if (y.num_elements() == 0) return OkStatus();
  FillElements(y.dtype(), ElementOf(0, y.dtype()).bytes, y.num_elements(),
               y.mutable_raw(), ctx.step().pool);
  if (x.num_elements() == 0) return OkStatus();
  int64_t n = x.dim(x.rank() - 1), k = ctx.attr<int64_t>("k");
  int64_t side = y.dim(y.rank() - 1);
  int64_t first = k >= 0 ? k : -k * side;
  DispatchBySize(x.dtype(), [&]<class T>() {
    const T* from = static_cast<const T*>(x.raw());
    T* to = static_cast<T*>(y.mutable_raw());
    for (int64_t m = 0; m < x.num_elements() / n; ++m) {
      for (int64_t i = 0; i < n; ++i) {
        to[m * side * side + first + i * (side + 1)] = from[m * n + i];
      }
    }
  });
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  int64_t k = attrs.get<int64_t>("k");
  Ints dims = ref::DimsOf(in[0].shape);
  dims.back() += std::abs(k);
  dims.push_back(dims.back());
  return {ref::Build(ref::MakeShape(dims), [&](Ints index) {
    int64_t column = index.back();
    index.pop_back();
    int64_t row = index.back();
    if (column - row != k) return 0.0;
    index.back() = std::min(row, column);
    return ref::At(in[0], index);
  })};
}

}  // namespace

SL_OP(Diag)
    .doc(
        "Matrices with the last axis of x on a diagonal and 0 elsewhere. "
        "DiagPart goes back.")
    .input("x: T")
    .output("y: T")
    .types("T", kPlain)
    .attr("k", 0, "The diagonal: 0 the main one, positive above it.")
    .shape(Infer)
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("DiagPart", {g.dy()}, g.attrs()));
    })
    .batch(batch_rules::leading)
    .cpu(Launch)
    .reference(Reference)
    .samples({{.in = {{3}}},
              {.in = {{2, 3}}, .attrs = {{"k", 1}}},
              {.in = {{2, 3}}, .attrs = {{"k", -2}}},
              {.in = {{0}}},
              {.in = {{0}}, .attrs = {{"k", 2}}},
              {.in = {{0, 3}}},
              {.in = {{1, 1, 4}}}})
    .rejects({{.in = {Shape()},
               .message = "[Diag] x is f32[]; wanted rank 1 or more"},
              {.in = {{2}},
               .attrs = {{"k", INT64_MIN}},
               .message = "[Diag] shape [9223372036854775807,"},
              {.in = {{2}},
               .attrs = {{"k", INT64_MAX}},
               .message = "[Diag] shape [9223372036854775807,"},
              {.in = {{1, 1, 1, 1, 1, 1, 1, 1}},
               .message = "[Diag] rank 9 is too large"}});

}  // namespace sluice
