#include "sluice/kernels/cuda/join.h"

#include <algorithm>

#include "sluice/kernels/cuda/cuda_kernel.h"
#include "sluice/kernels/cuda/move.h"

namespace sluice {

namespace {

constexpr size_t kMaxParts = 64;

// Layout as in source/join.cuh.
struct Args {
  void* whole = nullptr;
  int64_t n = 0, row = 0, first = 0, width = 0;
  int32_t parts = 0;
  int64_t start[kMaxParts + 1] = {};
  void* part[kMaxParts] = {};
};

}  // namespace

Status JoinOnGpu(const KernelContext& ctx, int64_t rows, const Array& whole,
                 std::span<const Array> parts, bool back) {
  if (whole.num_elements() == 0) return OkStatus();
  auto width = [&](const Array& part) { return part.bytes() / rows; };
  int64_t bytes = MovedBytes(width(whole), AddressOf(whole), AddressOf(whole));
  for (const Array& part : parts) {
    bytes = std::min(bytes,
                     MovedBytes(width(part), AddressOf(part), AddressOf(part)));
  }
  CudaDevice& device = GpuOf(ctx);
  SL_ASSIGN_OR_RETURN(CUfunction move,
                      FileFunction(device, "join.cuh", MovedType(bytes),
                                   back ? "cut" : "join"));
  int64_t first = 0;
  while (!parts.empty()) {
    size_t count = std::min(parts.size(), kMaxParts);
    Args args;
    args.whole = AddressOf(whole);
    args.row = width(whole) / bytes;
    args.first = first;
    args.parts = static_cast<int32_t>(count);
    for (size_t i = 0; i < count; ++i) {
      args.part[i] = AddressOf(parts[i]);
      args.width += width(parts[i]) / bytes;
      args.start[i + 1] = args.width;
    }
    args.n = rows * args.width;
    SL_RETURN_IF_ERROR(LaunchCuda(ctx, move, GridFor(device, args.n), args));
    first += args.width;
    parts = parts.subspan(count);
  }
  return OkStatus();
}

}  // namespace sluice
