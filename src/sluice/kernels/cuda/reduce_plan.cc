#include "sluice/kernels/cuda/reduce_plan.h"

#include <algorithm>

#include "sluice/base/strings.h"

namespace sluice {

namespace {

// Outputs of at most this many elements are a warp's, or less.
constexpr int64_t kFewElements = 1024;
// The number of elements that is worth a separate block.
constexpr int64_t kPartElements = 8192;
constexpr int64_t kMostBlocks = 1 << 20;
// The size of the largest accumulator.
constexpr int64_t kAccBytes = 32;

int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

GpuReduceNest NestOf(const ReduceNest& nest) {
  GpuReduceNest made;
  made.rank = nest.rank;
  for (int i = 0; i < nest.rank; ++i) {
    made.dims[i] = nest.dims[i];
    made.steps[i] = nest.steps[i];
  }
  return made;
}

int64_t LaneBlocks(int64_t outputs, int64_t lanes) {
  return std::clamp<int64_t>(CeilDiv(outputs * lanes, kTeamThreads), 1,
                             4 * kEnoughBlocks);
}

}  // namespace

int64_t PowerOfTwo(int64_t n, int64_t most) {
  int64_t power = 1;
  while (power < n && power < most) power *= 2;
  return power;
}

ReducePlan::ReducePlan(const Shape& x, uint32_t mask, int64_t outputs) {
  shape.outputs = outputs;
  if (x.num_elements() == 0) {
    blocks = LaneBlocks(outputs, 1);
    return;
  }
  ReduceLayout layout(x, mask);
  // Nothing but axes of size 1 to reduce: rows of one element.
  if (!layout.inner_reduced && layout.reduced.rank == 0) {
    layout.kept = {};
    layout.kept.Add(layout.inner, 1, false);
    layout.inner = 1;
    layout.inner_reduced = true;
  }
  shape.inner = layout.inner;
  shape.kept = NestOf(layout.kept);
  shape.reduced = NestOf(layout.reduced);
  reduced_count = layout.reduced_count;
  if (layout.inner_reduced) {
    Rows(layout);
    return;
  }
  way = "ReduceColumns";
  shape.count = layout.reduced.count;
  strips_ = layout.kept.count;
  // Room for parts however many elements are read at a time.
  for (int64_t pack : {8, 4, 2, 1}) Columns(pack);
}

void ReducePlan::Rows(const ReduceLayout& layout) {
  shape.count = layout.reduced.count * layout.inner;
  if (shape.count <= kFewElements) {
    shape.lanes = PowerOfTwo(shape.count, 32);
    blocks = LaneBlocks(shape.outputs, shape.lanes);
    return;
  }
  way = "ReduceBlocks";
  int64_t parts = std::clamp<int64_t>(kEnoughBlocks / shape.outputs, 1,
                                      CeilDiv(shape.count, kPartElements));
  // Whole rounds of a block that reads 16 bytes a thread, whatever the type.
  constexpr int64_t kRound = kTeamThreads * 16;
  int64_t per_part = CeilDiv(shape.count, parts);
  shape.per_part = parts == 1 ? per_part : CeilDiv(per_part, kRound) * kRound;
  shape.parts = CeilDiv(shape.count, shape.per_part);
  most_parts_ = shape.parts;
  blocks = std::min(shape.outputs * shape.parts, kMostBlocks);
}

void ReducePlan::Columns(int64_t pack) {
  int64_t columns = CeilDiv(shape.inner, pack);
  shape.lanes = PowerOfTwo(columns, pack == 1 ? 64 : 32);
  // Few columns of few rows: narrow strips, so that more blocks share them.
  constexpr int64_t kNarrow = 8, kFewBlocks = kEnoughBlocks / 8;
  while (shape.lanes > kNarrow &&
         CeilDiv(columns, shape.lanes) * strips_ *
                 CeilDiv(shape.count, kTeamThreads / shape.lanes * 8) <
             kFewBlocks) {
    shape.lanes /= 2;
  }
  int64_t along = kTeamThreads / shape.lanes;
  int64_t strips = CeilDiv(columns, shape.lanes) * strips_;
  int64_t parts = std::clamp<int64_t>(kEnoughBlocks / strips, 1,
                                      CeilDiv(shape.count, along * 8));
  shape.per_part = CeilDiv(shape.count, parts);
  shape.parts = CeilDiv(shape.count, shape.per_part);
  most_parts_ = std::max(most_parts_, shape.parts);
  blocks = std::min(strips * shape.parts, kMostBlocks);
}

int64_t ReducePlan::partial_bytes() const {
  return most_parts_ > 1 ? most_parts_ * shape.outputs * kAccBytes : 0;
}

bool ReducePlan::Packs(int64_t pack) {
  std::string_view goes = way;
  if (pack == 1 || goes == "ReduceLanes") return false;
  bool columns = goes == "ReduceColumns";
  if (!columns && shape.reduced.rank == 0 && shape.outputs == 1) return true;
  auto whole = [pack](const GpuReduceNest& nest) {
    return std::all_of(nest.steps, nest.steps + nest.rank,
                       [pack](int64_t step) { return step % pack == 0; });
  };
  if (shape.inner % pack != 0 || !whole(shape.kept) || !whole(shape.reduced)) {
    return false;
  }
  if (columns) Columns(pack);
  return true;
}

Status LaunchReduceRaw(const KernelContext& ctx, std::string_view file,
                       const std::string& before, const ReducePlan& plan,
                       void* partial, void* args, GpuReduceShape* shape) {
  if (plan.shape.outputs == 0) return OkStatus();
  int64_t packed = shape->packed;
  *shape = plan.shape;
  shape->packed = packed;
  shape->partial = partial;
  CudaDevice& device = GpuOf(ctx);
  auto launch = [&](const char* way, int64_t blocks) -> Status {
    SL_ASSIGN_OR_RETURN(
        CUfunction function,
        FileFunction(device, file, StrCat(before, "\n#define SL_WAY ", way),
                     "reduce"));
    return LaunchCudaRaw(ctx, function, {blocks, kTeamThreads}, args);
  };
  SL_RETURN_IF_ERROR(launch(plan.way, plan.blocks));
  if (shape->parts == 1) return OkStatus();
  // Few outputs of many parts are combined by a block each, several adjacent
  // ones together, others by a warp each.
  if (shape->parts > 64 && shape->outputs <= kEnoughBlocks) {
    return launch("ReduceFoldBlocks", shape->outputs);
  }
  shape->lanes = shape->outputs >= 4096 ? 1 : PowerOfTwo(shape->parts, 32);
  return launch("ReduceFold", LaneBlocks(shape->outputs, shape->lanes));
}

}  // namespace sluice
