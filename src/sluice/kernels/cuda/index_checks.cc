#include "sluice/kernels/cuda/index_checks.h"

#include <memory>
#include <vector>

#include "sluice/base/strings.h"
#include "sluice/kernels/cuda/move.h"
#include "sluice/kernels/cuda/walk.h"
#include "sluice/op/record.h"

namespace sluice {

namespace {

Status FindingOf(const OpRecord& op, const std::string& text) {
  return InvalidArgument(StrCat("[", op.name, "] ", text));
}

Result<CUfunction> IndexFunction(const KernelContext& ctx, DType dtype,
                                 const char* name) {
  // The moved type does not matter here.
  std::string before =
      StrCat(MovedType(1), IndexType(dtype), "using Index = int64_t;\n");
  return FileFunction(GpuOf(ctx), "gather.cuh", before, name);
}

Status Check(const KernelContext& ctx, int input, int64_t low, int64_t bound,
             CUdeviceptr slot) {
  struct Args {
    const void* index;
    CUdeviceptr check;
    int64_t n, low, bound;
  };
  const Array& in = ctx.in(input);
  Args args = {AddressOf(in), slot, in.num_elements(), low, bound};
  Result<CUfunction> check = IndexFunction(ctx, in.dtype(), "check_indices");
  Status launched = check.status();
  if (launched.ok()) {
    launched = LaunchCuda(ctx, *check, GridFor(GpuOf(ctx), args.n), args);
  }
  CheckIssued(ctx);
  return launched;
}

}  // namespace

std::string IndexType(DType dtype) {
  return StrCat("using I = ", CudaTypeName(dtype), ";\n");
}

CUdeviceptr TakeCheckWith(const KernelContext& ctx, FindingText text) {
  return TakeCheck(ctx, [text = std::move(text)](const OpRecord& op,
                                                 int64_t place, int64_t value) {
    return FindingOf(op, text(place, value));
  });
}

void TakeChecksWith(const KernelContext& ctx, FindingNumbers text,
                    std::span<CUdeviceptr> slots) {
  // Slots are checked in the order in which they were taken: at the last one's
  // turn all numbers are available.
  struct Found {
    int64_t place = 0;
    std::vector<int64_t> numbers;
  };
  auto found = std::make_shared<Found>();
  for (size_t k = 0; k < slots.size(); ++k) {
    bool last = k + 1 == slots.size();
    slots[k] =
        TakeCheck(ctx,
                  [=, first = k == 0](const OpRecord& op, int64_t place,
                                      int64_t value) -> Status {
                    if (first) *found = {place, {}};
                    found->numbers.push_back(value);
                    if (!last) return OkStatus();
                    return FindingOf(op, text(found->place, found->numbers));
                  });
  }
}

CUdeviceptr TakeIndexCheck(const KernelContext& ctx, int input, int64_t bound) {
  const OpRecord* op = &ctx.op();
  return TakeCheckWith(ctx, [=](int64_t place, int64_t value) {
    return StrCat(op->InputName(input), "[", place, "] is ", value,
                  "; wanted 0 <= index < ", bound);
  });
}

Status CheckIndicesOnGpu(const KernelContext& ctx, int input, int64_t bound) {
  if (ctx.in(input).num_elements() == 0) return OkStatus();
  return Check(ctx, input, 0, bound, TakeIndexCheck(ctx, input, bound));
}

Status CheckIndicesBelowOnGpu(const KernelContext& ctx, int input,
                              int64_t bound) {
  if (ctx.in(input).num_elements() == 0) return OkStatus();
  const OpRecord* op = &ctx.op();
  auto text = [=](int64_t place, int64_t value) {
    return StrCat(op->InputName(input), "[", place, "] is ", value,
                  "; wanted an index below ", bound);
  };
  return Check(ctx, input, INT64_MIN, bound, TakeCheckWith(ctx, text));
}

Status FlattenIndicesOnGpu(const KernelContext& ctx, int input,
                           const Shape& shape, int64_t* rows) {
  struct Args {
    const void* index = nullptr;
    int64_t* rows = nullptr;
    int64_t n = 1;
    int32_t depth = 0;
    int64_t size[kMaxWalkRank] = {};
    CUdeviceptr check[kMaxWalkRank] = {};
  } args;
  const Array& in = ctx.in(input);
  args.index = AddressOf(in);
  args.rows = rows;
  args.depth = static_cast<int32_t>(in.dim(in.rank() - 1));
  for (int i = 0; i + 1 < in.rank(); ++i) args.n *= in.dim(i);
  if (args.n == 0) return OkStatus();
  for (int k = 0; k < args.depth; ++k) args.size[k] = shape.dim(k);
  const OpRecord* op = &ctx.op();
  std::vector<int64_t> sizes(args.size, args.size + args.depth);
  auto text = [=](int64_t place, std::span<const int64_t> numbers) {
    return StrCat(op->InputName(input), "[", place, "] is [",
                  Join(numbers, ","), "]; wanted indices inside [",
                  Join(sizes, ","), "]");
  };
  auto depth = static_cast<size_t>(args.depth);
  TakeChecksWith(ctx, text, {args.check, depth});
  Result<CUfunction> flatten = IndexFunction(ctx, in.dtype(), "flatten_tuples");
  Status launched = flatten.status();
  if (launched.ok()) {
    launched = LaunchCuda(ctx, *flatten, GridFor(GpuOf(ctx), args.n), args);
  }
  for (size_t k = 0; k < depth; ++k) CheckIssued(ctx);
  return launched;
}

}  // namespace sluice
