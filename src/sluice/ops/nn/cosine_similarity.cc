#include <algorithm>
#include <cmath>

#include "sluice/base/worker_pool.h"
#include "sluice/kernels/cpu/axis_view.h"
#include "sluice/kernels/cpu/moments.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/shape_value.h"
#include "sluice/op/autocast_rule.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRankAtLeast(0, 1));
  SL_RETURN_IF_ERROR(shapes::all_same(c));
  PartialShape x = c.out(0);
  c.set_out(0, PartialShape::Unknown());
  if (!x.rank_known()) return OkStatus();
  SL_ASSIGN_OR_RETURN(int axis,
                      c.ResolveAxis(c.attr<int64_t>("axis"), x.rank()));
  Ints dims(x.dims().begin(), x.dims().end());
  dims.erase(dims.begin() + axis);
  SL_ASSIGN_OR_RETURN(PartialShape out, MakeOutShape(c, dims));
  c.set_out(0, out);
  return OkStatus();
}

// The sums of a b, a a and b b over n elements in a row.
struct Products {
  double ab = 0, aa = 0, bb = 0;
};
template <class T>
struct RowProducts {
  using C = Compute<T>;
  static SL_INLINE Products Run(const T* a, const T* b, int64_t n) {
    using L = Lanes<C>;
    Products all;
    for (int64_t at = 0; at < n; at += moments::kBlock) {
      C sum[3];
      moments::Sums(std::min(moments::kBlock, n - at), sum,
                    [&](int64_t i, int64_t some, L(&acc)[3]) {
                      L x = moments::Take<C>(a + at + i, some, C(0));
                      L y = moments::Take<C>(b + at + i, some, C(0));
                      acc[0] = MulAdd(x, y, acc[0]);
                      acc[1] = MulAdd(x, x, acc[1]);
                      acc[2] = MulAdd(y, y, acc[2]);
                    });
      all.ab += static_cast<double>(sum[0]);
      all.aa += static_cast<double>(sum[1]);
      all.bb += static_cast<double>(sum[2]);
    }
    return all;
  }
};

Status Launch(KernelContext& ctx) {
  AxisView v(ctx.in(0).shape(), ctx.attr<int64_t>("axis"));
  double epsilon = ctx.attr<double>("epsilon");
  DispatchFloats(ctx.in(0).dtype(), [&]<class T>() {
    using C = Compute<T>;
    const T *a = ctx.in(0).data<T>(), *b = ctx.in(1).data<T>();
    T* y = ctx.out(0).mutable_data<T>();
    ParallelFor(ctx.step().pool, v.outer * v.inner,
                (1 << 14) / (v.size + 1) + 1, [&](int64_t begin, int64_t end) {
                  for (int64_t t = begin; t < end; ++t) {
                    int64_t at = t / v.inner * v.size * v.inner + t % v.inner;
                    Products p;
                    if (v.inner == 1) {
                      p = isa::Call<RowProducts<T>>(a + at, b + at, v.size);
                    } else {
                      for (int64_t i = 0; i < v.size; ++i, at += v.inner) {
                        auto x = static_cast<double>(static_cast<C>(a[at]));
                        auto z = static_cast<double>(static_cast<C>(b[at]));
                        p.ab += x * z;
                        p.aa += x * x;
                        p.bb += z * z;
                      }
                    }
                    double size = std::max(std::sqrt(p.aa), epsilon) *
                                  std::max(std::sqrt(p.bb), epsilon);
                    y[t] = static_cast<T>(static_cast<C>(p.ab / size));
                  }
                });
  });
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  int axis = ref::Axis(attrs.get<int64_t>("axis"), in[0].shape.rank());
  double epsilon = attrs.get<double>("epsilon");
  Ints dims = ref::DimsOf(in[0].shape);
  dims.erase(dims.begin() + axis);
  return {ref::Build(ref::MakeShape(dims), [&](Ints at) {
    at.insert(at.begin() + axis, 0);
    double ab = 0, aa = 0, bb = 0;
    for (int64_t i = 0; i < in[0].shape.dim(axis); ++i) {
      at[static_cast<size_t>(axis)] = i;
      double a = ref::At(in[0], at), b = ref::At(in[1], at);
      ab += a * b, aa += a * a, bb += b * b;
    }
    return ab / (std::max(std::sqrt(aa), epsilon) *
                 std::max(std::sqrt(bb), epsilon));
  })};
}

// With respect to a: b / (|a| |b|) - y a / |a|^2, the second part only if |a|
// exceeds epsilon; likewise for b.
void Grad(GradContext& g) {
  int64_t axis = g.attr<int64_t>("axis");
  DType dtype = g.in(0).dtype();
  GradVar least = g.scalar(g.attr<double>("epsilon"), dtype);
  GradVar zero = g.scalar(0, dtype), one = g.scalar(1, dtype);
  auto expand = [&](GradVar v) {
    return g.call("ExpandDims", {v}, {{"axis", axis}});
  };
  GradVar inverse[2], own[2];
  for (int i = 0; i < 2; ++i) {
    GradVar squares = g.call("Sum", {g.in(i)*g.in(i)},
                             {{"axes", Ints{axis}}, {"keep_dims", true}});
    // The root has no derivative at 0: it is only computed where it has one.
    GradVar held = g.call(
        "LessEqual",
        {squares, g.scalar(std::pow(g.attr<double>("epsilon"), 2), dtype)});
    GradVar root = g.call("Sqrt", {g.call("Select", {held, one, squares})});
    inverse[i] = 1.0 / g.call("Select", {held, least, root});
    own[i] = g.call("Select", {held, zero, inverse[i] * inverse[i]});
  }
  GradVar dy = expand(g.dy()), y = expand(g.out());
  GradVar both = dy * inverse[0] * inverse[1];
  for (int i = 0; i < 2; ++i) {
    if (!g.wants(i)) continue;
    g.set_dx(i, both * g.in(1 - i) - dy * y * own[i] * g.in(i));
  }
}

}  // namespace

SL_OP(CosineSimilarity)
    .doc(
        "The cosine of the angle between a and b along an axis: sum(a b) / "
        "(|a| |b|), lengths not below epsilon.")
    .input("a: T")
    .input("b: T")
    .output("y: T")
    .types("T", kFloats)
    .attr("axis", -1, "The axis vectors lie along.")
    .attr("epsilon", 1e-8, "The least length.")
    .shape(Infer)
    .grad(Grad)
    .batch(batch_rules::along_axis)
    .cpu(Launch)
    .tolerance(2e-6)
    .reference(Reference)
    .samples({{.in = {{5}, {5}}},
              {.in = {{3, 4}, {3, 4}}},
              {.in = {{3, 4, 2}, {3, 4, 2}}, .attrs = {{"axis", 1}}},
              {.in = {{40, 5003}, {40, 5003}}, .only = {DType::kF32}},
              {.in = {{2, 3}, {2, 3}}, .attrs = {{"epsilon", 5.0}}},
              {.in = {{0, 3}, {0, 3}}},
              {.in = {{2, 0}, {2, 0}}}})
    .rejects({{.in = {{2, 3}, {2, 4}},
               .message = "[CosineSimilarity] shapes differ: a is f32[2,3], b "
                          "is f32[2,4]; wanted equal shapes"},
              {.in = {Shape(), Shape()},
               .message = "[CosineSimilarity] a is f32[]; wanted rank 1"},
              {.in = {{2}, {2}},
               .attrs = {{"axis", 1}},
               .message = "[CosineSimilarity] axis 1 is out of range"}});
SL_AUTOCAST(CosineSimilarity, kF32);

}  // namespace sluice
