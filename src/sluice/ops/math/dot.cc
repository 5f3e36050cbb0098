#include <algorithm>
#include <type_traits>

#include "sluice/base/strings.h"
#include "sluice/base/worker_pool.h"
#include "sluice/kernels/cpu/gemm/dot_rows.h"
#include "sluice/kernels/cpu/gemm/launch.h"
#include "sluice/kernels/reference.h"
#include "sluice/op/autocast_rule.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/face.h"
#include "sluice/op/grad_context.h"
#include "sluice/tensor/half.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRank(0, 1));
  SL_RETURN_IF_ERROR(c.WantRank(1, 1));
  if (c.in(0).rank_known() && c.in(1).rank_known() && c.in(0)[0] >= 0 &&
      c.in(1)[0] >= 0 && c.in(0)[0] != c.in(1)[0]) {
    return c.Error(StrCat("sizes differ: ", c.Describe(0), ", ", c.Describe(1),
                          "; wanted a.dim(0) == b.dim(0)"));
  }
  c.set_out(0, PartialShape::Scalar());
  return OkStatus();
}

// Adding ten thousand floats to one float loses digits: blocks are summed as
// doubles.
constexpr int64_t kBlock = 1 << 12;

template <class C>
using Total = std::conditional_t<std::is_floating_point_v<C>, double, C>;

// Pieces of a fixed size, summed in order: threads change nothing.
template <class T, class C>
void Run(KernelContext& ctx) {
  constexpr int64_t kMaxPieces = 256;
  const T* a = static_cast<const T*>(ctx.in(0).raw());
  const T* b = static_cast<const T*>(ctx.in(1).raw());
  const int64_t n = ctx.in(0).num_elements();
  const int64_t piece = std::max<int64_t>(1 << 16, n / kMaxPieces + 1);
  Total<C> sums[kMaxPieces] = {};
  ParallelFor(ctx.step().pool, n, piece, [&](int64_t begin, int64_t end) {
    Total<C>& sum = sums[begin / piece];
    for (int64_t at = begin; at < end; at += kBlock) {
      C part = 0;
      DotRows<T, C>(a + at, b + at, 0, 1, std::min(kBlock, end - at), &part);
      sum = sum + part;
    }
  });
  Total<C> sum = 0;
  for (Total<C> s : sums) sum = sum + s;
  *static_cast<T*>(ctx.out(0).mutable_raw()) =
      static_cast<T>(static_cast<C>(sum));
}

Status Launch(KernelContext& ctx) {
  switch (GemmTypeOf(ctx.in(0).dtype())) {
    case GemmType::kF64:
      Run<double, double>(ctx);
      break;
    case GemmType::kF16:
      Run<f16, float>(ctx);
      break;
    case GemmType::kBF16:
      Run<bf16, float>(ctx);
      break;
    case GemmType::kI32:
      Run<uint32_t, uint32_t>(ctx);
      break;
    case GemmType::kI64:
      Run<uint64_t, uint64_t>(ctx);
      break;
    default:
      Run<float, float>(ctx);
      break;
  }
  ctx.Finish(0, 1);
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in, const Attrs&) {
  double sum = 0;
  for (size_t i = 0; i < in[0].v.size(); ++i) sum += in[0].v[i] * in[1].v[i];
  return {RefArray{Shape(), {sum}}};
}

}  // namespace

SL_OP(Dot)
    .doc(
        "The inner product of two vectors. Halves are summed in float; "
        "integers wrap.")
    .input("a: T")
    .input("b: T")
    .output("y: T")
    .types("T", kGemmTypes)
    .shape(Infer)
    .grad([](GradContext& g) {
      if (g.wants(0)) g.set_dx(0, g.dy() * g.in(1));
      if (g.wants(1)) g.set_dx(1, g.dy() * g.in(0));
    })
    .batch([](BatchContext& b) {
      RuleVar row = b.expand(b.full(0), 1), column = b.expand(b.full(1), 2);
      RuleVar y = b.call("BatchMatMul", {row, column});
      b.set(0, b.reshape(y, b.lanes()));
      return true;
    })
    .cpu(Launch)
    .fuse_output()
    .fails_for_sizes_only()
    .tolerance(1e-4)
    .reference(Reference)
    .samples({{.in = {{4}, {4}}},
              {.in = {{1}, {1}}},
              {.in = {{67}, {67}}},
              {.in = {{0}, {0}}},
              {.in = {{200001}, {200001}}, .only = {DType::kF32, DType::kI64}}})
    .rejects(
        {{.in = {{2}, {3}},
          .message = "[Dot] sizes differ: a is f32[2], b is f32[3]; wanted "
                     "a.dim(0) == b.dim(0)"},
         {.in = {{2, 2}, {2}}, .message = "[Dot] a is f32[2,2]; wanted rank 1"},
         {.in = {{2}, Shape()}, .message = "[Dot] b is f32[]; wanted rank 1"}});
SL_FACE(Dot).method().keeps(kInts);
SL_AUTOCAST(Dot, kLow);

}  // namespace sluice
