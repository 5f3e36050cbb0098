#include "sluice/gpu/list_launch.h"

#include <algorithm>

#include "sluice/kernels/cuda/cuda_kernel.h"

namespace sluice {

namespace {

// These match source/loop_lists.cuh.
struct AdmitArgs {
  void* control;
  const void* predicate;
  int64_t capacity;
};

constexpr size_t kMostAppended = 8;
struct AppendArgs {
  void* control;
  int64_t count;
  const void* from[kMostAppended];
  void* to[kMostAppended];
  int64_t bytes[kMostAppended];
  int64_t step[kMostAppended];
};

struct ElementArgs {
  void* control;
  const void* live;
  const void* index;
  int32_t wide;
  int32_t number;
  int64_t bytes, step;
  const void* from;
  void* to;
  int64_t capacity;
  void* marks;
  const void* table;
};

Result<CUfunction> ListFunction(const KernelContext& ctx, const char* name) {
  return FileFunction(GpuOf(ctx), "loop_lists.cuh", "", name);
}

ElementArgs ElementAt(const ListElement& where, const Array& index,
                      int64_t bytes) {
  ElementArgs args = {};
  args.control = where.control;
  args.live = where.live;
  args.number = where.number;
  args.index = index.address();
  args.wide = index.dtype() == DType::kI64;
  args.bytes = bytes;
  args.step = ElementStep(bytes);
  return args;
}

CudaGrid GridOf(const KernelContext& ctx, int64_t bytes) {
  return GridFor(GpuOf(ctx), bytes / 16 + 1);
}

}  // namespace

Status LaunchAdmit(const KernelContext& ctx, void* control,
                   const void* predicate, int64_t capacity) {
  SL_ASSIGN_OR_RETURN(CUfunction admit, ListFunction(ctx, "admit"));
  return LaunchCuda(ctx, admit, {1, 1},
                    AdmitArgs{control, predicate, capacity});
}

Status LaunchAppend(const KernelContext& ctx, void* control,
                    std::span<const Array> from, std::span<const Array> to) {
  SL_ASSIGN_OR_RETURN(CUfunction append, ListFunction(ctx, "append"));
  for (size_t begin = 0; begin < from.size(); begin += kMostAppended) {
    size_t end = std::min(from.size(), begin + kMostAppended);
    AppendArgs args = {};
    args.control = control;
    args.count = static_cast<int64_t>(end - begin);
    int64_t longest = 1;
    for (size_t i = begin; i < end; ++i) {
      size_t k = i - begin;
      args.from[k] = from[i].address();
      args.to[k] = to[i].address();
      args.bytes[k] = from[i].bytes();
      args.step[k] = ElementStep(from[i].bytes());
      longest = std::max(longest, from[i].bytes());
    }
    SL_RETURN_IF_ERROR(LaunchCuda(ctx, append, GridOf(ctx, longest), args));
  }
  return OkStatus();
}

Status LaunchSet(const KernelContext& ctx, const ListElement& where,
                 const Array& index, const Array& from, const Array& to,
                 const Array& marks, int64_t capacity) {
  SL_ASSIGN_OR_RETURN(CUfunction set, ListFunction(ctx, "set"));
  ElementArgs args = ElementAt(where, index, from.bytes());
  args.from = from.address();
  args.to = to.address();
  args.marks = marks.address();
  args.capacity = capacity;
  return LaunchCuda(ctx, set, GridOf(ctx, from.bytes()), args);
}

Status LaunchGet(const KernelContext& ctx, const ListElement& where,
                 const Array& index, const Array& table, const Array& to) {
  SL_ASSIGN_OR_RETURN(CUfunction get, ListFunction(ctx, "get"));
  ElementArgs args = ElementAt(where, index, to.bytes());
  args.to = to.address();
  args.table = table.address();
  return LaunchCuda(ctx, get, GridOf(ctx, to.bytes()), args);
}

}  // namespace sluice
