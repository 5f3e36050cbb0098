#include <algorithm>

#include "sluice/base/worker_pool.h"
#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/reference.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/op/simplify_context.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  if (c.num_inputs() == 0) {
    return c.Error("xs is empty; wanted at least one input");
  }
  return shapes::all_same(c);
}

template <class T>
void AddRange(KernelContext& ctx, int64_t begin, int64_t end) {
  using C = Compute<T>;
  constexpr int64_t kBlock = 512;
  T* y = ctx.out(0).mutable_data<T>();
  for (int64_t i = begin; i < end; i += kBlock) {
    int64_t n = std::min(kBlock, end - i);
    C sum[kBlock] = {};
    for (int k = 0; k < ctx.num_inputs(); ++k) {
      const T* x = ctx.in(k).data<T>() + i;
      for (int64_t j = 0; j < n; ++j) {
        C v = static_cast<C>(x[j]);
        sum[j] = k == 0 ? v : Wrap<C>(ToWrap(sum[j]) + ToWrap(v));
      }
    }
    for (int64_t j = 0; j < n; ++j) y[i + j] = static_cast<T>(sum[j]);
  }
}

template <class... Ts>
Status Run(KernelContext& ctx, Types<Ts...>) {
  void (*add)(KernelContext&, int64_t, int64_t) = nullptr;
  DType dtype = ctx.out(0).dtype();
  ((DTypeOf<Ts>::value == dtype ? void(add = &AddRange<Ts>) : void()), ...);
  if (!add) return ctx.Error("no kernel for this type");
  ParallelFor(ctx.step().pool, ctx.out(0).num_elements(), 1 << 14,
              [&](int64_t b, int64_t e) { add(ctx, b, e); });
  return OkStatus();
}

Status Launch(KernelContext& ctx) { return Run(ctx, NumberTypes{}); }

bool OfFew(SimplifyContext& s) {
  if (s.num_inputs() == 1) return s.becomes(s.in(0));
  // Add would broadcast where AddN refuses: only for shapes known to agree.
  return s.num_inputs() == 2 && s.same_type(s.in(0), s.in(1)) &&
         s.becomes("Add", {s.in(0), s.in(1)});
}

}  // namespace

SL_OP(AddN)
    .doc("The sum of all inputs, which have one shape; integers wrap.")
    .input("xs: T*")
    .output("y: T")
    .types("T", kNumbers)
    .shape(Infer)
    .grad([](GradContext& g) {
      for (int i = 0; i < g.num_inputs(); ++i) g.set_dx(i, g.dy());
    })
    .batch(batch_rules::leading)
    .cpu(Launch)
    .in_place()
    .simplify("AddN(x) = x; AddN(x, y) = Add(x, y)", OfFew)
    .role(Role::kAddN)
    .linear(Linear::kInAll)
    .tolerance(1e-6)
    .reference([](const std::vector<RefArray>& in, const Attrs&) {
      return std::vector<RefArray>{
          ref::Map(in, [](const std::vector<double>& v) {
            double sum = 0;
            for (double x : v) sum += x;
            return sum;
          })};
    })
    .samples({{.in = {{2, 3}}},
              {.in = {{4}, {4}, {4}}},
              {.in = {Shape(), Shape()}},
              {.in = {{0, 2}, {0, 2}}},
              {.in = {{131}, {131}, {131}, {131}, {131}}},
              {.in = {{1031}, {1031}}, .only = {DType::kF32}}})
    .rejects({{.in = {},
               .message = "[AddN] the type T of output y is not determined"},
              {.in = {{2}, {3}},
               .message = "[AddN] shapes differ: xs[0] is f32[2], xs[1] is "
                          "f32[3]; wanted equal shapes"},
              {.in = {{2}, Array::Zeros(DType::kI32, {2})},
               .message = "[AddN] xs[1] is i32; wanted f32 as xs[0]"}});

}  // namespace sluice
