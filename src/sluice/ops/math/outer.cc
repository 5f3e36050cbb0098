#include <algorithm>

#include "sluice/base/worker_pool.h"
#include "sluice/kernels/cpu/elementwise.h"
#include "sluice/kernels/cpu/gemm/launch.h"
#include "sluice/kernels/cpu/isa.h"
#include "sluice/kernels/reference.h"
#include "sluice/op/autocast_rule.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/decompose_context.h"
#include "sluice/op/face.h"
#include "sluice/op/grad_context.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRank(0, 1));
  SL_RETURN_IF_ERROR(c.WantRank(1, 1));
  const int64_t dims[] = {c.in(0).rank_known() ? c.in(0)[0] : kUnknownDim,
                          c.in(1).rank_known() ? c.in(1)[0] : kUnknownDim};
  SL_ASSIGN_OR_RETURN(PartialShape out, PartialShape::Make(dims));
  c.set_out(0, out);
  return OkStatus();
}

template <class T>
struct Row {
  static SL_INLINE void Run(Compute<T> a, const T* b, int64_t n, T* y) {
    SL_VECTORIZE
    for (int64_t j = 0; j < n; ++j) {
      y[j] = static_cast<T>(a * static_cast<Compute<T>>(b[j]));
    }
  }
};

template <class T>
void Run(KernelContext& ctx) {
  const T* a = static_cast<const T*>(ctx.in(0).raw());
  const T* b = static_cast<const T*>(ctx.in(1).raw());
  T* y = static_cast<T*>(ctx.out(0).mutable_raw());
  const int64_t n = ctx.in(1).num_elements();
  if (n == 0) return;
  const int64_t grain = std::max<int64_t>(1, (1 << 15) / n);
  ParallelFor(ctx.step().pool, ctx.in(0).num_elements(), grain,
              [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) {
                  isa::Call<Row<T>>(static_cast<Compute<T>>(a[i]), b, n,
                                    y + i * n);
                }
                ctx.Finish(begin * n, (end - begin) * n);
              });
}

Status Launch(KernelContext& ctx) {
  switch (GemmTypeOf(ctx.in(0).dtype())) {
    case GemmType::kF64:
      Run<double>(ctx);
      break;
    case GemmType::kF16:
      Run<f16>(ctx);
      break;
    case GemmType::kBF16:
      Run<bf16>(ctx);
      break;
    case GemmType::kI32:
      Run<uint32_t>(ctx);
      break;
    case GemmType::kI64:
      Run<uint64_t>(ctx);
      break;
    default:
      Run<float>(ctx);
      break;
  }
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in, const Attrs&) {
  Shape shape = ref::MakeShape({in[0].shape.dim(0), in[1].shape.dim(0)});
  return {ref::Build(shape, [&](const Ints& index) {
    return in[0].v[static_cast<size_t>(index[0])] *
           in[1].v[static_cast<size_t>(index[1])];
  })};
}

}  // namespace

SL_OP(Outer)
    .doc("The outer product of two vectors: y[i,j] = a[i] * b[j].")
    .input("a: T")
    .input("b: T")
    .output("y: T")
    .types("T", kGemmTypes)
    .shape(Infer)
    .grad([](GradContext& g) {
      if (g.wants(0)) g.set_dx(0, g.call("MatVec", {g.dy(), g.in(1)}));
      if (g.wants(1)) {
        g.set_dx(1,
                 g.call("MatVec", {g.dy(), g.in(0)}, {{"transpose_a", true}}));
      }
    })
    .batch([](BatchContext& b) {
      RuleVar column = b.expand(b.in(0), b.batched(0) ? 2 : 1);
      RuleVar row = b.batched(1) ? b.expand(b.in(1), 1) : b.in(1);
      b.set(0, b.call("Mul", {column, row}));
      return true;
    })
    .decompose([](DecomposeContext& d) {
      d.set(d.call("ExpandDims", {d.in(0)}, {{"axis", 1}}) *
            d.call("ExpandDims", {d.in(1)}, {{"axis", 0}}));
    })
    .cpu(Launch)
    .fuse_output()
    .role(Role::kOuter)
    .fails_for_sizes_only()
    .reference(Reference)
    .samples({{.in = {{4}, {3}}},
              {.in = {{1}, {70}}},
              {.in = {{0}, {3}}},
              {.in = {{3}, {0}}},
              {.in = {{300}, {401}}, .only = {DType::kF32}}})
    .rejects({{.in = {{2, 2}, {2}},
               .message = "[Outer] a is f32[2,2]; wanted rank 1"},
              {.in = {{2}, Shape()},
               .message = "[Outer] b is f32[]; wanted rank 1"}});
SL_FACE(Outer).method().keeps(kInts | DTypeSet{DType::kBool});
SL_AUTOCAST(Outer, kLow);

}  // namespace sluice
