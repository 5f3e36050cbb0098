// RandomGamma and RandomPoisson on a GPU: built from the formulas in the ops'
// files, with the CPU's bits.
#include <bit>
#include <unordered_map>

#include "sluice/base/strings.h"
#include "sluice/kernels/cuda/cuda_kernel.h"
#include "sluice/kernels/cuda/draw_args.h"
#include "sluice/kernels/cuda/formula_source.h"
#include "sluice/kernels/cuda/index_checks.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

Result<CUfunction> DrawFunction(const KernelContext& ctx, bool zero) {
  struct Known {
    Mutex mu;
    std::unordered_map<std::string, CUfunction> functions SL_GUARDED_BY(mu);
  };
  static auto& known = *new Known;
  CudaDevice& device = GpuOf(ctx);
  std::string_view type = CudaTypeName(ctx.in(0).dtype());
  std::string key = StrCat(device.name_text(), " ", ctx.op().name, " ", type);
  {
    MutexLock lock(known.mu);
    auto it = known.functions.find(key);
    if (it != known.functions.end()) return it->second;
  }
  std::string formula = FormulaSource(ctx.op().line.file);
  if (formula.empty()) return NotServed();
  std::string source = StrCat(
      "#include \"sluice/cuda/random.cuh\"\nnamespace sluice {\nnamespace op "
      "{\n",
      formula, "}\nusing T = ", type,
      ";\nconstexpr bool kZero = ", zero ? "true" : "false",
      ";\n}\n#include \"sluice/cuda/draw_each.cuh\"\n");
  SL_ASSIGN_OR_RETURN(CUfunction function,
                      CudaFunction(device, source, "draw_each"));
  MutexLock lock(known.mu);
  known.functions.emplace(std::move(key), function);
  return function;
}

Status DrawEach(KernelContext& ctx, bool zero, const char* wanted) {
  DrawArgs args;
  args.to = AddressOf(ctx.out(0));
  args.from = AddressOf(ctx.in(0));
  args.n = ctx.out(0).num_elements();
  if (args.n == 0) return OkStatus();
  SetKey(ctx, args);
  SL_ASSIGN_OR_RETURN(CUfunction draw, DrawFunction(ctx, zero));
  const OpRecord* op = &ctx.op();
  args.check = TakeCheckWith(ctx, [op, wanted](int64_t place, int64_t bits) {
    return StrCat(op->InputName(0), "[", place, "] is ",
                  std::bit_cast<double>(bits), "; wanted ", wanted);
  });
  Status launched = LaunchCuda(ctx, draw, GridFor(GpuOf(ctx), args.n), args);
  CheckIssued(ctx);
  return launched;
}

Status RandomGamma(KernelContext& ctx) {
  return DrawEach(ctx, false, "a finite number above 0");
}
Status RandomPoisson(KernelContext& ctx) {
  return DrawEach(ctx, true, "a finite number of at least 0");
}

SL_KERNEL(RandomGamma, kCuda, Kernel{.launch = RandomGamma, .host_inputs = 2});
SL_KERNEL(RandomPoisson, kCuda,
          Kernel{.launch = RandomPoisson, .host_inputs = 2});

}  // namespace
}  // namespace sluice
