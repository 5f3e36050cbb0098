// Einsum on a GPU: the host's plan of products (kernels/cpu/einsum), with the
// steps executed here.
#include <algorithm>

#include "sluice/base/strings.h"
#include "sluice/kernels/cpu/einsum/contract.h"
#include "sluice/kernels/cuda/gemm.h"
#include "sluice/kernels/cuda/move.h"
#include "sluice/op/by_library.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

constexpr int kMaxAxes = 16;  // as in source/strided_sum.cuh

class GpuEngine final : public EinsumEngine {
 public:
  explicit GpuEngine(const KernelContext& ctx) : ctx_(ctx) {}

  Status Sum(DType dtype, const void* x, const SumAxis* kept, int num_kept,
             const SumAxis* summed, int num_summed, void* y) override {
    struct Args {
      const void* from = nullptr;
      void* to = nullptr;
      int64_t n = 1, terms = 1;
      int32_t kept = 0, summed = 0;
      int64_t size[kMaxAxes] = {}, step[kMaxAxes] = {}, to_step[kMaxAxes] = {};
      int64_t sum_size[kMaxAxes] = {}, sum_step[kMaxAxes] = {};
    } args;
    if (num_kept > kMaxAxes || num_summed > kMaxAxes) return NotServed();
    args.from = x;
    args.to = y;
    args.kept = num_kept;
    args.summed = num_summed;
    for (int i = 0; i < num_kept; ++i) {
      args.n *= args.size[i] = kept[i].dim;
      args.step[i] = kept[i].from;
      args.to_step[i] = kept[i].to;
    }
    for (int i = 0; i < num_summed; ++i) {
      args.terms *= args.sum_size[i] = summed[i].dim;
      args.sum_step[i] = summed[i].from;
    }
    if (args.n == 0) return OkStatus();
    // Unsigned: integers wrap.
    std::string_view type = dtype == DType::kI32   ? "uint32_t"
                            : dtype == DType::kI64 ? "uint64_t"
                                                   : CudaTypeName(dtype);
    CudaDevice& device = GpuOf(ctx_);
    SL_ASSIGN_OR_RETURN(
        CUfunction sum,
        FileFunction(device, "strided_sum.cuh",
                     StrCat("using T = ", type, ";\n"), "strided_sum"));
    return LaunchCuda(ctx_, sum, GridFor(device, args.n), args);
  }

  // The last axis of the batch in one product, the others sequentially.
  Status Multiply(DType dtype, const GemmArgs& first,
                  const GemmBatch& batch) override {
    GpuGemm g;
    g.dtype = dtype;
    g.m = first.m;
    g.n = first.n;
    g.k = first.k;
    g.a = MatrixOf(first.a, g.m, g.k);
    g.b = MatrixOf(first.b, g.k, g.n);
    g.c = first.c;
    int last = batch.rank - 1;
    if (last >= 0) {
      g.batch = batch.dims[last];
      g.a.batch_step = batch.a_step[last];
      g.b.batch_step = batch.b_step[last];
      g.c_batch_step = batch.c_step[last];
    }
    return Each(g, batch, 0, last);
  }

  Status Zero(void* to, int64_t bytes) override {
    return FillOnGpu(ctx_, DType::kU8, 0, bytes, to);
  }

 private:
  static GpuMatrix MatrixOf(const GemmMatrix& m, int64_t rows,
                            int64_t columns) {
    if (m.transposed) std::swap(rows, columns);
    // For a single row the stride is arbitrary.
    return {m.data, std::max(m.stride, columns), m.transposed};
  }

  Status Each(const GpuGemm& g, const GemmBatch& batch, int axis, int last) {
    if (axis >= last) return RunGemm(ctx_, g);
    int64_t size = DTypeSize(g.dtype);
    for (int64_t i = 0; i < batch.dims[axis]; ++i) {
      auto moved = [&](const void* data, int64_t step) {
        return static_cast<const char*>(data) + i * step * size;
      };
      GpuGemm one = g;
      one.a.data = moved(g.a.data, batch.a_step[axis]);
      one.b.data = moved(g.b.data, batch.b_step[axis]);
      one.c = const_cast<char*>(moved(g.c, batch.c_step[axis]));
      SL_RETURN_IF_ERROR(Each(one, batch, axis + 1, last));
    }
    return OkStatus();
  }

  const KernelContext& ctx_;
};

struct Call {
  int ranks[kMaxEinsumOperands] = {};
  Shape shapes[kMaxEinsumOperands];
  const void* data[kMaxEinsumOperands] = {};
};

int64_t Workspace(const ShapeContext& c) {
  Call call;
  if (c.num_inputs() > kMaxEinsumOperands) return 0;
  for (int i = 0; i < c.num_inputs(); ++i) {
    call.shapes[i] = c.in(i).ToShape();
    call.ranks[i] = call.shapes[i].rank();
  }
  Result<EinsumEquation> eq = EinsumEquation::Parse(
      c.attr<std::string>("equation"), call.ranks, c.num_inputs());
  if (!eq.ok()) return 0;
  Result<int64_t> bytes =
      RunEinsum({*eq, c.in_dtype(0), call.shapes, nullptr, nullptr, nullptr,
                 nullptr, nullptr, /*for_engine=*/true});
  return bytes.ok() ? *bytes : 0;
}

Status Einsum(KernelContext& ctx) {
  Call call;
  if (ctx.num_inputs() > kMaxEinsumOperands) return NotServed();
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    call.shapes[i] = ctx.in(i).shape();
    call.ranks[i] = call.shapes[i].rank();
    call.data[i] = AddressOf(ctx.in(i));
  }
  Result<EinsumEquation> eq = EinsumEquation::Parse(
      ctx.attr<std::string>("equation"), call.ranks, ctx.num_inputs());
  if (!eq.ok()) return ctx.Error(eq.status().message());
  GpuEngine engine(ctx);
  return RunEinsum({*eq, ctx.in(0).dtype(), call.shapes, call.data,
                    AddressOf(ctx.out(0)), ctx.workspace(), nullptr, &engine,
                    /*for_engine=*/true})
      .status();
}

SL_KERNEL(Einsum, kCuda, Kernel{.launch = Einsum, .workspace = Workspace});
SL_BY_LIBRARY(Einsum);

}  // namespace
}  // namespace sluice
