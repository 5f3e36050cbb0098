// Scans along an axis (source/scan.cuh).
#include <algorithm>

#include "sluice/base/strings.h"
#include "sluice/kernels/cuda/reduce_plan.h"
#include "sluice/kernels/cuda/slice_plan.h"
#include "sluice/op/record.h"

namespace sluice {

namespace {

// Layout as in source/scan_ops.cuh.
struct Args {
  const void *x = nullptr, *b = nullptr;
  void* y = nullptr;
  int64_t outer = 1, size = 1, inner = 1;
  int64_t reverse = 0, exclusive = 0, lagged = 0;
  int64_t parts = 1, per_part = 0;
  void* totals = nullptr;
};

// This many slices keep a GPU busy with one thread each.
constexpr int64_t kManySlices = 1 << 14;
constexpr int64_t kWarpElements = 1024;  // the elements of a slice for one warp
constexpr int64_t kPartElements = 8192;
// The number of totals that a block can combine at once.
constexpr int64_t kMaxParts = 4 * kTeamThreads;
constexpr int64_t kItemBytes = 16;

struct Plan {
  const char* way = "ScanThreads";
  int64_t blocks = 1, parts = 1, per_part = 0;

  explicit Plan(const AxisView& v) {
    int64_t slices = v.outer * v.inner, threads = slices;
    if (v.size > 32 && (v.inner == 1 || slices < kManySlices)) {
      way = v.size <= kWarpElements ? "ScanWarps" : "ScanBlocks";
      threads *= v.size <= kWarpElements ? 32 : kTeamThreads;
    }
    if (std::string_view(way) == "ScanBlocks") {
      int64_t most = std::min(kMaxParts, v.size / kPartElements + 1);
      parts = std::clamp<int64_t>(kEnoughBlocks / slices, 1, most);
      per_part = (v.size + parts - 1) / parts;
      parts = (v.size + per_part - 1) / per_part;
      threads *= parts;
    }
    blocks = std::clamp<int64_t>((threads + kTeamThreads - 1) / kTeamThreads, 1,
                                 1 << 20);
  }
};

bool Flag(const Attrs& attrs, std::string_view name) {
  const AttrValue* given = attrs.find(name);
  return given && given->get<bool>();
}

int64_t Space(const ShapeContext& c) {
  Shape x = c.in(0).ToShape();
  if (x.num_elements() == 0) return 0;
  AxisView v(x, c.attr<int64_t>("axis"));
  int64_t parts = Plan(v).parts;
  return parts > 1 ? v.outer * v.inner * parts * kItemBytes : 0;
}

Status Run(KernelContext& ctx, const char* scan, Args args) {
  const Array& x = ctx.in(0);
  if (x.num_elements() == 0) return OkStatus();
  AxisView v(x.shape(), ctx.attr<int64_t>("axis"));
  Plan plan(v);
  args.x = AddressOf(x);
  args.y = AddressOf(ctx.out(0));
  args.outer = v.outer;
  args.size = v.size;
  args.inner = v.inner;
  args.reverse = Flag(ctx.attrs(), "reverse");
  args.parts = plan.parts;
  args.per_part = plan.per_part;
  args.totals = ctx.workspace();
  auto launch = [&](const char* way) -> Status {
    std::string before = StrCat(ElementType(x.dtype()), "\n#define SL_SCAN ",
                                scan, "\n#define SL_WAY ", way);
    SL_ASSIGN_OR_RETURN(CUfunction function,
                        FileFunction(GpuOf(ctx), "scan.cuh", before, "scan"));
    return LaunchCuda(ctx, function, {plan.blocks, kTeamThreads}, args);
  };
  if (plan.parts > 1) SL_RETURN_IF_ERROR(launch("ScanTotals"));
  return launch(plan.way);
}

template <const char* kScan>
Status Scan(KernelContext& ctx) {
  Args args;
  args.exclusive = Flag(ctx.attrs(), "exclusive");
  return Run(ctx, kScan, args);
}

Status LinearScan(KernelContext& ctx) {
  const std::string& mode = ctx.attr<std::string>("mode");
  Args args;
  args.b = AddressOf(ctx.in(1));
  args.lagged = mode == "lagged";
  args.exclusive = mode == "exclusive";
  return Run(ctx, "LinearScan", args);
}

#define SL_SCAN_OP(Op)                \
  constexpr char k##Op##Scan[] = #Op; \
  SL_KERNEL(                          \
      Op, kCuda,                      \
      Kernel{                         \
          .launch = Scan<k##Op##Scan>, .workspace = Space, .in_place = true})
SL_SCAN_OP(CumSum);
SL_SCAN_OP(CumProd);
SL_SCAN_OP(CumMax);
SL_SCAN_OP(CumMin);
SL_SCAN_OP(LogCumSumExp);
SL_KERNEL(LinearScan, kCuda, Kernel{.launch = LinearScan, .workspace = Space});

}  // namespace

}  // namespace sluice
