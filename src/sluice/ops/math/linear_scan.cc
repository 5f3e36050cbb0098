#include <algorithm>

#include "sluice/base/strings.h"
#include "sluice/base/worker_pool.h"
#include "sluice/kernels/cpu/axis_view.h"
#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/cpu/isa.h"
#include "sluice/kernels/cpu/scan.h"
#include "sluice/kernels/reference.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(shapes::all_same(c));
  SL_RETURN_IF_ERROR(c.WantRankAtLeast(0, 1));
  if (!c.out(0).rank_known()) return OkStatus();
  return c.ResolveAxis(c.attr<int64_t>("axis"), c.out(0).rank()).status();
}

enum Mode { kInclusive, kLagged, kExclusive };

// One element: the result, and the carry to the next one.
template <Mode mode, class C>
SL_INLINE C Advance(C a, C b, C& carry) {
  C before = carry;
  C now = mode == kLagged ? before + b : a * before + b;
  carry = mode == kLagged ? a * now : now;
  return mode == kExclusive ? before : now;
}

template <class T, Mode mode>
void Row(const T* a, const T* b, T* y, int64_t n, bool reverse) {
  using C = Compute<T>;
  C carry = 0;
  for (int64_t i = 0; i < n; ++i) {
    int64_t at = reverse ? n - 1 - i : i;
    y[at] = static_cast<T>(
        Advance<mode>(static_cast<C>(a[at]), static_cast<C>(b[at]), carry));
  }
}

// One index of the axis for n adjacent lines.
template <class T, Mode mode>
struct StepLoop {
  using C = Compute<T>;
  static void Run(const T* a, const T* b, T* y, int64_t n, C* carry) {
    SL_VECTORIZE
    for (int64_t k = 0; k < n; ++k) {
      C all = carry[k];
      y[k] = static_cast<T>(
          Advance<mode>(static_cast<C>(a[k]), static_cast<C>(b[k]), all));
      carry[k] = all;
    }
  }
};

template <class T, Mode mode>
void Run(KernelContext& ctx) {
  using C = Compute<T>;
  const T *a = ctx.in(0).data<T>(), *b = ctx.in(1).data<T>();
  T* y = ctx.out(0).mutable_data<T>();
  WorkerPool* pool = ctx.step().pool;
  AxisView v(ctx.in(0).shape(), ctx.attr<int64_t>("axis"));
  bool reverse = ctx.attr<bool>("reverse");
  constexpr int64_t kStrip = scan::kStrip;
  if (v.inner == 1) {
    ParallelFor(pool, v.outer, 1 + scan::kPart / v.size,
                [&](int64_t begin, int64_t end) {
                  for (int64_t o = begin * v.size; o < end * v.size;
                       o += v.size) {
                    Row<T, mode>(a + o, b + o, y + o, v.size, reverse);
                  }
                });
    return;
  }
  int64_t strips = (v.inner + kStrip - 1) / kStrip;
  int64_t grain = 1 + scan::kPart / (v.size * std::min(v.inner, kStrip));
  auto step =
      isa::Pick<StepLoop<T, mode>, const T*, const T*, T*, int64_t, C*>();
  ParallelFor(pool, v.outer * strips, grain, [&](int64_t begin, int64_t end) {
    C carry[kStrip];
    for (int64_t t = begin; t < end; ++t) {
      int64_t first = t % strips * kStrip;
      int64_t n = std::min(kStrip, v.inner - first);
      std::fill_n(carry, n, C(0));
      for (int64_t i = 0; i < v.size; ++i) {
        int64_t row = reverse ? v.size - 1 - i : i;
        int64_t at = (t / strips * v.size + row) * v.inner + first;
        step(a + at, b + at, y + at, n, carry);
      }
    }
  });
}

Status Launch(KernelContext& ctx) {
  if (ctx.out(0).num_elements() == 0) return OkStatus();
  const std::string& mode = ctx.attr<std::string>("mode");
  DispatchFloats(ctx.in(0).dtype(), [&]<class T>() {
    if (mode == "inclusive") {
      Run<T, kInclusive>(ctx);
    } else if (mode == "lagged") {
      Run<T, kLagged>(ctx);
    } else {
      Run<T, kExclusive>(ctx);
    }
  });
  return OkStatus();
}

// As matrices, the three modes are L, L' reversed and a symmetric one: each
// one's transpose is one of them.
void Gradient(GradContext& g) {
  const std::string& mode = g.attr<std::string>("mode");
  auto back = [&](const char* as) {
    Attrs attrs = {{"axis", g.attr<int64_t>("axis")},
                   {"reverse", !g.attr<bool>("reverse")},
                   {"mode", as}};
    return g.call("LinearScan", {g.in(0), g.dy()}, attrs);
  };
  bool inclusive = mode == "inclusive", lagged = mode == "lagged";
  GradVar db;
  if (inclusive) {
    db = back("lagged");
  } else if (!lagged) {
    db = back("exclusive");
  } else if (g.wants(1)) {
    db = back("inclusive");
  }
  g.set_dx(1, db);
  if (!g.wants(0)) return;
  // Behind a[k] is the gradient that flows back over it, before it the carry.
  if (inclusive) {
    Attrs before = g.attrs();
    before.set("mode", "exclusive");
    g.set_dx(0, db * g.call("LinearScan", {g.in(0), g.in(1)}, before));
  } else {
    g.set_dx(0, (lagged ? back("exclusive") : db) * g.out());
  }
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  const Shape& shape = in[0].shape;
  auto axis =
      static_cast<size_t>(ref::Axis(attrs.get<int64_t>("axis"), shape.rank()));
  int64_t size = shape.dim(static_cast<int>(axis));
  int64_t step = attrs.get<bool>("reverse") ? -1 : 1;
  const std::string& mode = attrs.get<std::string>("mode");
  return {ref::Build(shape, [&](const Ints& index) {
    double sum = 0, factors = 1;
    // From the element itself back to the first.
    Ints at = index;
    for (; at[axis] >= 0 && at[axis] < size; at[axis] -= step) {
      bool self = at[axis] == index[axis];
      if (mode == "lagged" && !self) factors *= ref::At(in[0], at);
      if (mode != "exclusive" || !self) sum += factors * ref::At(in[1], at);
      if (mode == "inclusive" || (mode == "exclusive" && !self)) {
        factors *= ref::At(in[0], at);
      }
    }
    return sum;
  })};
}

std::vector<Sample> Samples() {
  std::vector<Sample> samples;
  struct Case {
    Shape shape;
    int64_t axis;
  };
  for (const char* mode : {"inclusive", "lagged", "exclusive"}) {
    for (bool reverse : {false, true}) {
      for (const Case& c : {Case{{5}, 0}, Case{{3, 37}, 1}, Case{{2, 3, 4}, -2},
                            Case{{9, 300}, 0}, Case{{2, 0, 3}, 0}}) {
        samples.push_back(
            {.in = {c.shape, c.shape},
             .attrs = {{"axis", c.axis}, {"reverse", reverse}, {"mode", mode}},
             .lo = -1.2,
             .hi = 1.2});
      }
    }
  }
  return samples;
}

}  // namespace

SL_OP(LinearScan)
    .doc(
        "y[i] = a[i] y[i-1] + b[i] along an axis, starting from 0: running "
        "sums "
        "that are scaled on the way.")
    .input("a: T")
    .input("b: T")
    .output("y: T")
    .types("T", kFloats)
    .attr("axis", 0, "The axis to go along.")
    .attr("reverse", false, "Start from the end.")
    .attr("mode", "inclusive",
          "inclusive; lagged: y[i] = a[i-1] y[i-1] + b[i]; exclusive: the "
          "inclusive result one place later, so that b[i] is left out of y[i].")
    .one_of({"inclusive", "lagged", "exclusive"})
    .shape(Infer)
    .grad(Gradient)
    .batch(batch_rules::along_axis)
    .cpu(Launch)
    .tolerance(1e-5)
    .reference(Reference)
    .samples(Samples())
    .rejects({{.in = {Shape(), Shape()},
               .message = "[LinearScan] a is f32[]; wanted rank 1 or more"},
              {.in = {{2, 3}, {2, 3}},
               .attrs = {{"axis", 2}},
               .message = "[LinearScan] axis 2 is out of range; wanted -2 <= "
                          "axis < 2"},
              {.in = {{2}, {3}},
               .message = "[LinearScan] shapes differ: a is f32[2], b is "
                          "f32[3]"}});

}  // namespace sluice
