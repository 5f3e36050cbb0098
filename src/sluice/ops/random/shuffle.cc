#include <algorithm>
#include <cstring>

#include "sluice/base/worker_pool.h"
#include "sluice/kernels/cpu/permutation.h"
#include "sluice/ops/random/random_op.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRankAtLeast(0, 1));
  c.set_out(0, c.in(0));
  return OkStatus();
}

int64_t Workspace(const ShapeContext& c) { return c.in(0)[0] * 8; }

Status Launch(KernelContext& ctx) {
  const Array &x = ctx.in(0), &y = ctx.out(0);
  if (x.num_elements() == 0) return OkStatus();
  int64_t rows = x.dim(0), width = x.num_elements() / rows;
  auto* order = static_cast<int64_t*>(ctx.workspace());
  FillPermutation(random_op::KeyOf(ctx), rows, order);
  bool strings = x.dtype() == DType::kString;
  int64_t bytes = width * DTypeSize(x.dtype());
  int64_t grain = std::max<int64_t>(1, (1 << 16) / bytes);
  const char* from = static_cast<const char*>(x.raw());
  char* to = static_cast<char*>(y.mutable_raw());
  ParallelFor(ctx.step().pool, rows, grain, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      if (strings) {
        std::copy_n(x.data<std::string>() + order[r] * width, width,
                    y.mutable_data<std::string>() + r * width);
      } else {
        std::memcpy(to + r * bytes, from + order[r] * bytes,
                    static_cast<size_t>(bytes));
      }
    }
  });
  return OkStatus();
}

}  // namespace

SL_OP(Shuffle)
    .doc(
        "x with its rows (axis 0) in random order. It depends on the session's "
        "seed, this op's seed and place in the graph, and the step, and on "
        "nothing else.")
    .input("x: T")
    .input(random_op::kTagInput)
    .output("y: T")
    .types("T", kAnyData)
    .attr("seed", 0, random_op::kSeedDoc)
    .shape(Infer)
    .no_grad("the order it drew is not kept; gather by a permutation instead")
    .cpu(Launch)
    .cpu_workspace(Workspace)
    .random()
    .samples({{.in = {{60, 2}}, .lo = -100, .hi = 100},
              {.in = {{1000}}, .lo = 0, .hi = 120},
              {.in = {{1, 5}}},
              {.in = {{5, 0}}},
              {.in = {{0, 5}}}})
    .rejects({{.in = {Shape()},
               .message = "[Shuffle] x is f32[]; wanted rank 1 or more"}});

}  // namespace sluice
