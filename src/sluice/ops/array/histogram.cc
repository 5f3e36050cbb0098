#include <algorithm>
#include <cmath>

#include "sluice/base/strings.h"
#include "sluice/base/worker_pool.h"
#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/shape_value.h"
#include "sluice/op/record.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  double min = c.attr<double>("min"), max = c.attr<double>("max");
  int64_t bins = c.attr<int64_t>("bins");
  if (!(min < max) || !std::isfinite(max - min) ||
      !std::isfinite(static_cast<double>(bins) / (max - min))) {
    return c.Error(StrCat("min is ", min, ", max is ", max, ", bins is ", bins,
                          "; wanted finite min < max and bins of some width"));
  }
  Ints dims{bins};
  SL_ASSIGN_OR_RETURN(PartialShape out, MakeOutShape(c, dims));
  c.set_out(0, out);
  return OkStatus();
}

constexpr int64_t kChunk = 1 << 14;
constexpr int64_t kTables = 8;
constexpr int64_t kTableBins = 1 << 14;

// One table of counts for each of a few threads, and one that counts elements
// outside; counts are integers, so the distribution over threads does not
// matter.
int64_t Tables(int64_t bins, int64_t n) {
  return bins > kTableBins ? 1 : std::clamp<int64_t>(n / kChunk, 1, kTables);
}

int64_t Workspace(const ShapeContext& c) {
  if (!c.in(0).fully_known()) return 0;
  int64_t bins = c.attr<int64_t>("bins");
  return Tables(bins, c.in(0).ToShape().num_elements()) * (bins + 1) * 8;
}

template <class T>
void Count(const T* x, int64_t n, double min, double max, int64_t bins,
           int64_t* counts) {
  double scale = static_cast<double>(bins) / (max - min);
  for (int64_t i = 0; i < n; ++i) {
    auto v = static_cast<double>(static_cast<Compute<T>>(x[i]));
    // NaN is in no bin; max belongs to the last one.
    bool inside = v >= min && v <= max;
    auto bin = static_cast<int64_t>(inside ? (v - min) * scale : 0);
    ++counts[inside ? std::min(bin, bins - 1) : bins];
  }
}

Status Launch(KernelContext& ctx) {
  const Array& x = ctx.in(0);
  int64_t n = x.num_elements(), bins = ctx.attr<int64_t>("bins");
  double min = ctx.attr<double>("min"), max = ctx.attr<double>("max");
  int64_t tables = Tables(bins, n), share = (n + tables - 1) / tables;
  auto* counts = static_cast<int64_t*>(ctx.workspace());
  std::fill_n(counts, tables * (bins + 1), 0);
  DispatchReals(x.dtype(), [&]<class T>() {
    ParallelFor(ctx.step().pool, tables, 1, [&](int64_t begin, int64_t end) {
      for (int64_t t = begin; t < end; ++t) {
        int64_t first = std::min(n, t * share);
        Count(x.data<T>() + first, std::min(n - first, share), min, max, bins,
              counts + t * (bins + 1));
      }
    });
  });
  int64_t* y = ctx.out(0).mutable_data<int64_t>();
  for (int64_t b = 0; b < bins; ++b) {
    y[b] = 0;
    for (int64_t t = 0; t < tables; ++t) y[b] += counts[t * (bins + 1) + b];
  }
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  int64_t bins = attrs.get<int64_t>("bins");
  double min = attrs.get<double>("min"), max = attrs.get<double>("max");
  RefArray y{ref::MakeShape({bins}), {}};
  y.v.assign(static_cast<size_t>(bins), 0);
  for (double v : in[0].v) {
    if (!(v >= min && v <= max)) continue;
    double at = std::floor((v - min) / (max - min) * static_cast<double>(bins));
    ++y.v[static_cast<size_t>(std::min(at, static_cast<double>(bins - 1)))];
  }
  return {y};
}

Attrs Bins(int64_t bins, double min, double max) {
  return {{"bins", bins}, {"min", min}, {"max", max}};
}

}  // namespace

SL_OP(Histogram)
    .doc(
        "How many elements of x lie in each of equally wide bins between min "
        "and max, both included. Elements outside and NaN are not counted.")
    .input("x: T")
    .output("y: i64")
    .types("T", kReals)
    .attr("bins", AttrKind::kInt, "How many bins.")
    .between(1, 1 << 24)
    .attr("min", AttrKind::kFloat, "Where the first bin begins.")
    .attr("max", AttrKind::kFloat, "Where the last bin ends.")
    .shape(Infer)
    .cpu(Launch)
    .cpu_workspace(Workspace)
    .reference(Reference)
    .samples({{.in = {{9}}, .attrs = Bins(4, -2, 2)},
              {.in = {{3, 30}}, .attrs = Bins(8, 0, 16), .lo = -5, .hi = 20},
              {.in = {Array::Vector<float>(
                   {std::nanf(""), std::numeric_limits<float>::infinity(), -1,
                    0, 1, 0.5f})},
               .attrs = Bins(2, 0, 1)},
              {.in = {Shape()}, .attrs = Bins(1, -2, 2)},
              {.in = {{0}}, .attrs = Bins(3, 0, 1)},
              {.in = {{60000}},
               .attrs = Bins(32, -1, 1),
               .only = {DType::kF32, DType::kI64}}})
    .rejects({{.in = {{2}},
               .attrs = Bins(2, 1, 1),
               .message = "[Histogram] min is 1, max is 1, bins is 2; wanted "
                          "finite min < max"},
              {.in = {{2}},
               .attrs = Bins(2, 0, 5e-324),
               .message = "[Histogram] min is 0, max is 4.9"},
              {.in = {{2}},
               .attrs = Bins(2, 0, std::nan("")),
               .message = "[Histogram] min is 0, max is nan, bins is 2"},
              {.in = {{2}},
               .attrs = Bins(2, -1e308, 1e308),
               .message = "[Histogram] min is -1"}});

}  // namespace sluice
