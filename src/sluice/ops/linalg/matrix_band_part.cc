#include <algorithm>
#include <cstring>

#include "sluice/base/worker_pool.h"
#include "sluice/kernels/reference.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRankAtLeast(0, 2));
  c.set_out(0, c.in(0));
  return OkStatus();
}

Status Launch(KernelContext& ctx) {
  const Array &x = ctx.in(0), &y = ctx.out(0);
  if (x.num_elements() == 0) return OkStatus();
  int64_t m = x.dim(x.rank() - 2), n = x.dim(x.rank() - 1);
  // No band is wider than the matrix: larger numbers must not overflow below.
  int64_t lower = std::min(ctx.attr<int64_t>("lower"), m);
  int64_t upper = std::min(ctx.attr<int64_t>("upper"), n);
  int64_t size = DTypeSize(x.dtype());
  const char* from = static_cast<const char*>(x.raw());
  char* to = static_cast<char*>(y.mutable_raw());
  int64_t grain = std::max<int64_t>(1, (1 << 16) / (n * size));
  ParallelFor(ctx.step().pool, x.num_elements() / n, grain,
              [&](int64_t begin, int64_t end) {
                for (int64_t row = begin; row < end; ++row) {
                  int64_t i = row % m;
                  int64_t first =
                      lower < 0 ? 0 : std::clamp<int64_t>(i - lower, 0, n);
                  int64_t last =
                      upper < 0 ? n : std::clamp<int64_t>(i + upper + 1, 0, n);
                  last = std::max(first, last);
                  char* out = to + row * n * size;
                  const char* in = from + row * n * size;
                  std::memset(out, 0, static_cast<size_t>(first * size));
                  std::memcpy(out + first * size, in + first * size,
                              static_cast<size_t>((last - first) * size));
                  std::memset(out + last * size, 0,
                              static_cast<size_t>((n - last) * size));
                }
              });
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  int64_t lower = attrs.get<int64_t>("lower");
  int64_t upper = attrs.get<int64_t>("upper");
  return {ref::Build(in[0].shape, [&](const Ints& at) {
    int64_t i = at[at.size() - 2], j = at[at.size() - 1];
    bool inside =
        (lower < 0 || i - j <= lower) && (upper < 0 || j - i <= upper);
    return inside ? ref::At(in[0], at) : 0.0;
  })};
}

}  // namespace

SL_OP(MatrixBandPart)
    .doc(
        "x with everything outside a band around the diagonal set to zero; the "
        "last two axes are matrices.")
    .input("x: T")
    .output("y: T")
    .types("T", kPlain)
    .attr("lower", -1, "Diagonals to keep below the main one; -1: all.")
    .between(-1, INT64_MAX)
    .attr("upper", -1, "Diagonals to keep above the main one; -1: all.")
    .between(-1, INT64_MAX)
    .shape(Infer)
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("MatrixBandPart", {g.dy()}, g.attrs()));
    })
    .batch(batch_rules::leading)
    .cpu(Launch)
    .reference(Reference)
    .samples({{.in = {{4, 5}}, .attrs = {{"lower", 1}, {"upper", 0}}},
              {.in = {{5, 3}}, .attrs = {{"lower", 0}, {"upper", 1}}},
              {.in = {{2, 3, 3}}, .attrs = {{"lower", -1}, {"upper", 0}}},
              {.in = {{2, 3, 3}}, .attrs = {{"lower", 0}, {"upper", -1}}},
              {.in = {{3, 4}}},
              {.in = {{3, 2}}, .attrs = {{"lower", INT64_MAX}, {"upper", 7}}},
              {.in = {{200, 150}},
               .attrs = {{"lower", 3}, {"upper", 10}},
               .only = {DType::kF32, DType::kU8}},
              {.in = {{0, 3}}},
              {.in = {{2, 3, 0}}}})
    .rejects({{.in = {{3}},
               .message = "[MatrixBandPart] x is f32[3]; wanted rank 2 or "
                          "more"}});

}  // namespace sluice
