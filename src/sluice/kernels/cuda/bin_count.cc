// BinCount (source/bin_count.cuh). The host waits for the largest number, which
// determines the number of bins.
#include <algorithm>
#include <array>

#include "sluice/base/strings.h"
#include "sluice/kernels/cuda/cuda_kernel.h"
#include "sluice/op/record.h"

namespace sluice {

namespace {

// Must agree with source/bin_count.cuh.
struct BinRange {
  int64_t largest = -1, bad_place = 0;
};
struct Args {
  const void *x = nullptr, *weights = nullptr;
  BinRange* range = nullptr;
  void *sums = nullptr, *y = nullptr;
  int64_t n = 0, length = 0, limit = 0;
};

class Counter {
 public:
  Counter(KernelContext& ctx, DType dtype)
      : ctx_(ctx),
        before_(StrCat("using I = ", CudaTypeName(ctx.in(0).dtype()),
                       "; using W = ", CudaTypeName(dtype), ";")) {
    args.x = AddressOf(ctx.in(0));
    args.n = ctx.in(0).num_elements();
    args.limit = ctx.attr<int64_t>("limit");
    args.range = static_cast<BinRange*>(ctx.workspace());
  }

  // Waits for it.
  Result<int64_t> Length() {
    BinRange range;
    range.bad_place = args.n;
    if (args.n > 0) {
      SL_RETURN_IF_ERROR(Launch("begin_range", 1));
      SL_RETURN_IF_ERROR(Launch("find_range", args.n));
      SL_RETURN_IF_ERROR(Read(&range, args.range, sizeof range));
    }
    if (range.bad_place < args.n) return Refuse(range.bad_place);
    return std::max(ctx_.attr<int64_t>("minlength"), range.largest + 1);
  }

  Status Launch(const char* name, int64_t n) {
    if (n == 0) return OkStatus();
    CudaDevice& device = GpuOf(ctx_);
    SL_ASSIGN_OR_RETURN(CUfunction function,
                        FileFunction(device, "bin_count.cuh", before_, name));
    return LaunchCuda(ctx_, function, GridFor(device, n), args);
  }

  Args args;

 private:
  Status Read(void* to, const void* from, size_t bytes) {
    Place there{&GpuOf(ctx_).memory(), const_cast<void*>(from)};
    ctx_.stream()->Copy({nullptr, to}, there, static_cast<int64_t>(bytes));
    return ctx_.stream()->Synchronize();
  }

  Status Refuse(int64_t place) {
    int64_t value = 0;
    if (ctx_.in(0).dtype() == DType::kI64) {
      SL_RETURN_IF_ERROR(
          Read(&value, static_cast<const int64_t*>(args.x) + place, 8));
    } else {
      int32_t narrow = 0;
      SL_RETURN_IF_ERROR(
          Read(&narrow, static_cast<const int32_t*>(args.x) + place, 4));
      value = narrow;
    }
    return ctx_.Error(StrCat(ctx_.op().InputName(0), "[", place, "] is ", value,
                             "; wanted 0 <= index < ", args.limit));
  }

  KernelContext& ctx_;
  std::string before_;
};

int64_t Space(const ShapeContext&) { return sizeof(BinRange); }

Status Launch(KernelContext& ctx) {
  if (ctx.num_inputs() > 2) return NotServed();  // refused by the CPU's
  bool weighted = ctx.num_inputs() == 2;
  DType dtype = weighted ? ctx.in(1).dtype() : ctx.attr<DType>("dtype");
  // Sums of floats are to have an order; shapes that differ are refused by the
  // CPU's kernel, in its words.
  if (weighted &&
      (IsFloating(dtype) || !(ctx.in(0).shape() == ctx.in(1).shape()))) {
    return NotServed();
  }
  Counter counter(ctx, dtype);
  SL_ASSIGN_OR_RETURN(counter.args.length, counter.Length());
  SL_ASSIGN_OR_RETURN(Shape shape,
                      Shape::Make(std::array{counter.args.length}));
  SL_RETURN_IF_ERROR(ctx.AllocateOut(0, dtype, shape));
  int64_t length = counter.args.length, n = counter.args.n;
  if (length == 0) return OkStatus();
  if (weighted) counter.args.weights = AddressOf(ctx.in(1));
  counter.args.y = AddressOf(ctx.out(0));
  bool wide = dtype == DType::kI64;
  Array sums;
  if (!wide) {
    SL_ASSIGN_OR_RETURN(sums, ScratchFor(ctx, length * 8));
  }
  counter.args.sums = wide ? counter.args.y : AddressOf(sums);
  SL_RETURN_IF_ERROR(counter.Launch("clear_sums", length));
  SL_RETURN_IF_ERROR(counter.Launch("add_bins", n));
  return wide ? OkStatus() : counter.Launch("write_bins", length);
}

SL_KERNEL(BinCount, kCuda,
          Kernel{.launch = Launch, .workspace = Space, .capturable = false});

}  // namespace

}  // namespace sluice
