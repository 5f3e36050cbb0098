#include <cmath>

#include "sluice/base/strings.h"
#include "sluice/base/worker_pool.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/shape_value.h"
#include "sluice/op/grad_context.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {
namespace {

// The number of values start, start + delta, ... before limit. False if delta
// is 0, a value is not finite, or there are too many.
bool Count(double start, double limit, double delta, int64_t* count) {
  double n = std::ceil((limit - start) / delta);
  if (delta == 0 || !(n <= static_cast<double>(kMaxElements))) return false;
  *count = n > 0 ? static_cast<int64_t>(n) : 0;
  return true;
}

bool Count(int64_t start, int64_t limit, int64_t delta, int64_t* count) {
  // Differences of 64-bit numbers need 65 bits; unsigned holds their size.
  auto u = [](int64_t v) { return static_cast<uint64_t>(v); };
  uint64_t distance = 0, step = delta < 0 ? 0 - u(delta) : u(delta);
  if (delta > 0 && limit > start) distance = u(limit) - u(start);
  if (delta < 0 && limit < start) distance = u(start) - u(limit);
  if (step == 0) return false;
  uint64_t n = distance == 0 ? 0 : (distance - 1) / step + 1;
  *count = static_cast<int64_t>(n);
  return n <= static_cast<uint64_t>(kMaxElements);
}

template <class T>
using Wide = std::conditional_t<std::is_floating_point_v<T>, double, int64_t>;

// Element i. Not a running sum, whose rounding errors would accumulate.
// Integers are computed unsigned, because i * delta may need more bits than the
// result.
template <class T>
T At(T start, T delta, int64_t i) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<uint64_t>(start) +
                          static_cast<uint64_t>(i) *
                              static_cast<uint64_t>(delta));
  } else {
    return static_cast<T>(double{start} +
                          static_cast<double>(i) * double{delta});
  }
}

template <class F>
bool DispatchRange(DType dtype, F&& visit) {
  switch (dtype) {
    SL_DISPATCH_CASE(kF32, float)
    SL_DISPATCH_CASE(kF64, double)
    SL_DISPATCH_CASE(kI32, int32_t)
    SL_DISPATCH_CASE(kI64, int64_t)
    default:
      return false;
  }
}

Status Infer(ShapeContext& c) {
  for (int i = 0; i < 3; ++i) SL_RETURN_IF_ERROR(c.WantRank(i, 0));
  PartialShape out = PartialShape::OfRank(1);
  if (c.value(0) && c.value(1) && c.value(2)) {
    int64_t n = 0;
    bool ok = false;
    std::string got;
    DispatchRange(c.in_dtype(0), [&]<class T>() {
      T v[3];
      for (int i = 0; i < 3; ++i) v[i] = c.value(i)->template data<T>()[0];
      using W = Wide<T>;
      ok = Count(W{v[0]}, W{v[1]}, W{v[2]}, &n);
      got = StrCat("start is ", v[0], ", limit is ", v[1], ", delta is ", v[2]);
    });
    if (!ok) {
      return c.Error(StrCat(got, "; wanted a step that reaches the limit"));
    }
    out.set_dim(0, n);
  }
  c.set_out(0, out);
  return OkStatus();
}

Status Launch(KernelContext& ctx) {
  Status status;
  DispatchRange(ctx.in(0).dtype(), [&]<class T>() {
    using W = Wide<T>;
    T start = ctx.in(0).data<T>()[0], limit = ctx.in(1).data<T>()[0];
    T delta = ctx.in(2).data<T>()[0];
    int64_t n = 0;
    if (!Count(W{start}, W{limit}, W{delta}, &n)) {
      status = ctx.Error(StrCat("start is ", start, ", limit is ", limit,
                                ", delta is ", delta,
                                "; wanted a step that reaches the limit"));
      return;
    }
    status = ctx.AllocateOut(0, ctx.in(0).dtype(), Shape({n}));
    if (!status.ok()) return;
    T* y = ctx.out(0).mutable_data<T>();
    ParallelFor(ctx.step().pool, n, 1 << 15, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) y[i] = At(start, delta, i);
    });
  });
  return status;
}

// The kernel requires scalars; it allocates its output itself, so the inputs
// have not been checked before.
Status Checked(KernelContext& ctx) {
  for (int i = 0; i < 3; ++i) {
    if (ctx.in(i).rank() != 0) {
      return ctx.Error(StrCat(ctx.op().InputName(i), " is ",
                              ctx.in(i).TypeText(), "; wanted rank 0"));
    }
  }
  return Launch(ctx);
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in, const Attrs&) {
  RefArray y;
  double start = in[0].v[0], limit = in[1].v[0], delta = in[2].v[0];
  for (int64_t i = 0;; ++i) {
    double v = start + static_cast<double>(i) * delta;
    if (delta > 0 ? v >= limit : v <= limit) break;
    y.v.push_back(v);
  }
  y.shape = ref::MakeShape({static_cast<int64_t>(y.v.size())});
  return {y};
}

template <class T>
std::vector<SampleInput> Three(T start, T limit, T delta) {
  return {Array::Scalar(start), Array::Scalar(limit), Array::Scalar(delta)};
}

}  // namespace

SL_OP(Range)
    .doc("start, start + delta, ... up to but without limit.")
    .input("start: T")
    .input("limit: T")
    .input("delta: T")
    .output("y: T")
    .types("T", {DType::kF32, DType::kF64, DType::kI32, DType::kI64})
    .shape(Infer)
    .no_grad("how many numbers there are depends on its inputs")
    .cpu(Checked)
    .dynamic_output()
    .max_ulp(1)
    .reference(Reference)
    .samples({{.in = Three<int64_t>(0, 5, 1)},
              {.in = Three<int32_t>(3, -4, -2)},
              {.in = Three<float>(0, 1, 0.25f)},
              {.in = Three<double>(1, 2, 0.3)},
              {.in = Three<int64_t>(5, 5, 1)},
              {.in = Three<float>(5, 1, 1)}})
    .rejects(
        {{.in = Three<int64_t>(0, 5, 0),
          .message = "[Range] start is 0, limit is 5, delta is 0; wanted a "
                     "step that reaches the limit"},
         {.in = Three<int64_t>(INT64_MIN, INT64_MAX, 1),
          .message = "[Range] start is -9223372036854775808, limit is "},
         {.in = Three<float>(0, 1, 1e-30f),
          .message = "[Range] start is 0, limit is 1, delta is "},
         {.in = Three<float>(0, std::nanf(""), 1),
          .message = "[Range] start is 0, limit is nan"},
         {.in = {{1}, Shape(), Shape()},
          .message = "[Range] start is f32[1]; wanted rank 0"}});

}  // namespace sluice
