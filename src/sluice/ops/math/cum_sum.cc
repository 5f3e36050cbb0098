#include "sluice/kernels/cpu/axis_view.h"
#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/reference.h"
#include "sluice/op/record.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRankAtLeast(0, 1));
  if (c.in(0).rank_known()) {
    SL_ASSIGN_OR_RETURN([[maybe_unused]] int axis,
                        c.ResolveAxis(c.attr<int64_t>("axis"), c.in(0).rank()));
  }
  return shapes::same_as_first(c);
}

// Columns are summed in strips, so that running sums of halves keep float
// precision along the whole axis.
constexpr int64_t kStrip = 64;

template <class T>
void Scan(const AxisView& v, bool exclusive, bool reverse, const T* x, T* y) {
  using C = Compute<T>;
  for (int64_t o = 0; o < v.outer; ++o) {
    for (int64_t first = 0; first < v.inner; first += kStrip) {
      int64_t n = v.inner - first < kStrip ? v.inner - first : kStrip;
      C sum[kStrip] = {};
      for (int64_t i = 0; i < v.size; ++i) {
        int64_t at = reverse ? v.size - 1 - i : i;
        int64_t offset = (o * v.size + at) * v.inner + first;
        for (int64_t k = 0; k < n; ++k) {
          C before = sum[k];
          sum[k] =
              Wrap<C>(ToWrap(before) + ToWrap(static_cast<C>(x[offset + k])));
          y[offset + k] = static_cast<T>(exclusive ? before : sum[k]);
        }
      }
    }
  }
}

Status Launch(KernelContext& ctx) {
  const Array& x = ctx.in(0);
  if (x.num_elements() == 0) return OkStatus();
  AxisView v(x.shape(), ctx.attr<int64_t>("axis"));
  bool exclusive = ctx.attr<bool>("exclusive"),
       reverse = ctx.attr<bool>("reverse");
  DispatchReals(x.dtype(), [&]<class T>() {
    Scan<T>(v, exclusive, reverse, x.data<T>(), ctx.out(0).mutable_data<T>());
  });
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  const RefArray& x = in[0];
  auto axis = static_cast<size_t>(
      ref::Axis(attrs.get<int64_t>("axis"), x.shape.rank()));
  bool exclusive = attrs.get<bool>("exclusive");
  bool reverse = attrs.get<bool>("reverse");
  return {ref::Build(x.shape, [&](Ints index) {
    int64_t end = index[axis], size = x.shape.dim(static_cast<int>(axis));
    double sum = 0;
    for (int64_t i = 0; i < size; ++i) {
      bool before = reverse ? i > end : i < end;
      if (!before && (exclusive || i != end)) continue;
      index[axis] = i;
      sum += ref::At(x, index);
    }
    return sum;
  })};
}

}  // namespace

SL_OP(CumSum)
    .doc("Running sums along an axis; integers wrap.")
    .input("x: T")
    .output("y: T")
    .types("T", kReals)
    .attr("axis", 0, "The axis to sum along.")
    .attr("exclusive", false, "Leave out the element itself.")
    .attr("reverse", false, "Start from the end.")
    .shape(Infer)
    .cpu(Launch)
    .in_place()
    .tolerance(1e-5)
    .reference(Reference)
    .samples({{.in = {{5}}},
              {.in = {{3, 4}}, .attrs = {{"axis", 1}, {"exclusive", true}}},
              {.in = {{3, 4}}, .attrs = {{"axis", -2}, {"reverse", true}}},
              {.in = {{2, 3, 70}},
               .attrs = {{"axis", 1}, {"exclusive", true}, {"reverse", true}}},
              {.in = {{0, 3}}},
              {.in = {{3, 0}}, .attrs = {{"axis", 0}}}})
    .rejects({{.in = {Shape()},
               .message = "[CumSum] x is f32[]; wanted rank 1 or more"},
              {.in = {{2}},
               .attrs = {{"axis", 3}},
               .message = "[CumSum] axis 3 is out of range"}});

}  // namespace sluice
