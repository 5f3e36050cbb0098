#include "sluice/kernels/cuda/checked_int.h"

#include <cstring>
#include <unordered_map>

#include "sluice/base/strings.h"
#include "sluice/kernels/cuda/cuda_kernel.h"
#include "sluice/kernels/cuda/formula_source.h"
#include "sluice/kernels/cuda/index_checks.h"
#include "sluice/kernels/cuda/walk.h"
#include "sluice/op/record.h"
#include "sluice/tensor/strided.h"

namespace sluice {

namespace {

// Layout as in source/checked_int.cuh.
struct Args {
  void* out = nullptr;
  const void* in[2] = {};
  uint64_t number[2] = {};
  int64_t n = 0;
  CUdeviceptr check = 0;
  int32_t rank = 0;
  int64_t size[kMaxWalkRank] = {};
  int64_t stride[2][kMaxWalkRank] = {};
};

// The declarations in an op's file.
struct Formula {
  std::string declarations;
  std::string error;  // set if there is none
};

Formula FormulaOf(const OpRecord& op) {
  Formula formula{FormulaSource(op.line.file), ""};
  const std::string& text = formula.declarations;
  size_t at = text.find(StrCat("struct ", op.name, "Int "));
  if (at == text.npos) return formula;
  at = text.find("kError", at);
  size_t begin = text.find('"', at), end = text.find('"', begin + 1);
  if (at == text.npos || end == text.npos) return formula;
  formula.error = text.substr(begin + 1, end - begin - 1);
  return formula;
}

const Formula& KnownFormula(const OpRecord& op) {
  struct Known {
    Mutex mu;
    std::unordered_map<const OpRecord*, Formula> formulas SL_GUARDED_BY(mu);
  };
  static auto& known = *new Known;
  MutexLock lock(known.mu);
  auto it = known.formulas.find(&op);
  if (it == known.formulas.end()) {
    it = known.formulas.emplace(&op, FormulaOf(op)).first;
  }
  return it->second;  // its place in memory stays
}

}  // namespace

Status LaunchCheckedInts(KernelContext& ctx) {
  const Array& out = ctx.out(0);
  if (ctx.num_inputs() != 2 || !IsInteger(out.dtype())) return NotServed();
  const Formula& formula = KnownFormula(ctx.op());
  if (formula.error.empty()) return NotServed();
  Args args;
  args.out = AddressOf(out);
  args.n = out.num_elements();
  if (args.n == 0) return OkStatus();
  Strides strides[2];
  int64_t farthest = args.n;
  for (int i = 0; i < 2; ++i) {
    if (ctx.in(i).on_host()) {
      std::memcpy(&args.number[i], ctx.in(i).raw(),
                  static_cast<size_t>(ctx.in(i).bytes()));
    } else {
      args.in[i] = AddressOf(ctx.in(i));
    }
    strides[i] = BroadcastStrides(ctx.in(i), out.shape());
    for (int axis = 0; axis < out.rank(); ++axis) {
      farthest +=
          std::abs(strides[i][static_cast<size_t>(axis)]) * out.dim(axis);
    }
  }
  GpuWalk<2> walk(out.shape(), strides);
  if (!walk.fits) return NotServed();
  args.rank = walk.rank;
  std::memcpy(args.size, walk.size.data(), sizeof args.size);
  std::memcpy(args.stride, walk.stride.data(), sizeof args.stride);
  std::string before =
      StrCat(formula.declarations, "using T = ", CudaTypeName(out.dtype()),
             ";\nusing F = ", ctx.op().name, "Int;\nusing Index = int",
             farthest < (int64_t{1} << 31) ? "32" : "64", "_t;\n");
  CudaDevice& device = GpuOf(ctx);
  SL_ASSIGN_OR_RETURN(
      CUfunction checked,
      FileFunction(device, "checked_int.cuh", before, "checked"));
  args.check = TakeCheckWith(
      ctx, [&formula](int64_t, int64_t) { return formula.error; });
  Status launched = LaunchCuda(ctx, checked, GridFor(device, args.n), args);
  CheckIssued(ctx);
  return launched;
}

}  // namespace sluice
