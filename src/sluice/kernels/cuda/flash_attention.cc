#include "sluice/kernels/cuda/flash_attention.h"

#include "sluice/base/strings.h"
#include "sluice/kernels/cuda/attention_inputs.h"
#include "sluice/kernels/cuda/slice_plan.h"

namespace sluice {

namespace {

// Layout as in source/flash_tile.cuh.
struct Args {
  GpuHeadRows q, k, v, dy, y;
  void *out = nullptr, *lse = nullptr, *state = nullptr;
  void *dq = nullptr, *dk = nullptr, *dv = nullptr;
  int32_t heads = 0, inner_heads = 0, kv_heads = 0, inner_kv_heads = 0;
  int32_t queries = 0, keys = 0, depth = 0, values = 0;
  double scale = 0;
  GpuAttentionMask mask;
};
constexpr int64_t kStateBytes = 8;  // of a query

constexpr int64_t kWarps = 4, kStepRows = 64;

int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

// Tile sizes; must agree with source/flash_tile.cuh.
struct Tiles {
  int64_t depth;     // SL_DEPTH
  int64_t own_rows;  // of a block
  Tiles(const attention::View& v, bool masked)
      : depth(
            attention::RoundUp(std::max<int64_t>({v.depth, v.values, 1}), 32)),
        own_rows(kWarps * (depth <= 64 && !masked ? 32 : 16)) {}
  // Shared memory for this many tiles of a block's own rows and two of those
  // that stream past, which are double-buffered.
  int64_t Bytes(int64_t own_tiles) const {
    int64_t rows = own_tiles * own_rows + 4 * kStepRows;
    return rows * (depth + 8) * 2;
  }
};

// Source and sizes of a launch.
class Flash {
 public:
  // `first`: the input number of q. `mask`: that of the mask, if there is one.
  Flash(const KernelContext& ctx, int first, int mask)
      : ctx_(ctx),
        view_(ctx.in(first).shape(), ctx.in(first + 1).shape(),
              ctx.in(first + 2).shape()),
        mask_kind_(MaskKind(ctx, mask)),
        tiles_(view_, mask_kind_ != 0),
        dtype_(ctx.in(first).dtype()) {
    auto narrow = [](int64_t v) { return static_cast<int32_t>(v); };
    args.heads = narrow(view_.heads), args.kv_heads = narrow(view_.kv_heads);
    args.inner_heads = narrow(view_.inner_heads);
    args.inner_kv_heads = narrow(view_.inner_kv);
    args.queries = narrow(view_.queries), args.keys = narrow(view_.keys);
    args.depth = narrow(view_.depth), args.values = narrow(view_.values);
    args.scale = attention::Scale(ctx.attr<double>("scale"), view_.depth);
    if (mask_kind_ != 0) {
      args.mask =
          GpuAttentionMask(ctx.in(mask), ctx.in(first).shape(), view_.keys);
    }
  }

  // A kernel that may have its shared memory. Before the first launch, so that
  // an op is served as a whole or not.
  Result<CUfunction> Function(const char* file, const char* name,
                              int64_t shared_bytes) const {
    // The required instructions came with Ampere.
    if (GpuOf(ctx_).architecture() < 80) return NotServed();
    SL_ASSIGN_OR_RETURN(CUfunction function,
                        FileFunction(GpuOf(ctx_), file, Before(), name));
    GpuOf(ctx_).Enter();
    // GPUs for desktops have less of it.
    if (CudaDriver::Get().cuFuncSetAttribute(
            function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
            static_cast<int>(shared_bytes)) != CUDA_SUCCESS) {
      return NotServed();
    }
    return function;
  }
  // Launches a block for some queries, or keys, of every head.
  Status Launch(CUfunction function, int64_t heads, int64_t rows,
                int64_t shared_bytes) const {
    int64_t blocks = heads * CeilDiv(rows, tiles_.own_rows);
    if (blocks == 0) return OkStatus();
    return LaunchCuda(ctx_, function, {blocks, 32 * kWarps, shared_bytes},
                      args);
  }
  const Tiles& tiles() const { return tiles_; }

  Args args;

 private:
  // Whether rows of all operands can be moved 16 bytes at a time.
  bool Packed() const {
    int64_t all = args.depth | args.values;
    for (const GpuHeadRows* rows :
         {&args.q, &args.k, &args.v, &args.dy, &args.y}) {
      all |= rows->outer_step | rows->inner_step | rows->row_step;
      all |= static_cast<int64_t>(reinterpret_cast<uintptr_t>(rows->at)) / 2;
    }
    for (const void* out : {args.out, args.dq, args.dk, args.dv}) {
      all |= static_cast<int64_t>(reinterpret_cast<uintptr_t>(out)) / 2;
    }
    return all % 8 == 0;
  }
  std::string Before() const {
    return StrCat(ElementType(dtype_), "\n#define SL_DEPTH ", tiles_.depth,
                  "\n#define SL_PACKED ", Packed() ? 1 : 0,
                  "\n#define SL_CAUSAL ", ctx_.attr<bool>("causal") ? 1 : 0,
                  "\n#define SL_MASK ", mask_kind_);
  }

  const KernelContext& ctx_;
  attention::View view_;
  int mask_kind_;
  Tiles tiles_;
  DType dtype_;
};

}  // namespace

bool FlashServes(const attention::View& v, DType dtype) {
  // Other types are not multiplied by these instructions; deeper rows do not
  // fit into registers with their sums; a grid and its indices have 32 bits.
  constexpr int64_t kMostDepth = 128, kMost = int64_t{1} << 30;
  int64_t rows = std::max(v.queries, v.keys);
  if ((dtype != DType::kBF16 && dtype != DType::kF16) || v.depth > kMostDepth ||
      v.values > kMostDepth || rows >= kMost ||
      std::max<int64_t>(v.heads, 1) * CeilDiv(rows, kStepRows) >= kMost) {
    return false;
  }
  // A block processes all keys alone, a microsecond for every 64. If there are
  // too few queries to fill the GPU with blocks, or to fill a tile, products by
  // the library, which divides the keys, are faster: on an H200, 12 heads with
  // 1 query and 4096 keys take 72 us fused and 15 us that way, with 512 queries
  // 73 and 140.
  constexpr int64_t kFewKeys = 256, kEnough = 3072, kTileful = 16;
  return v.keys <= kFewKeys ||
         (v.queries >= kTileful && v.heads * v.queries >= kEnough);
}

int64_t FlashGradSpace(const attention::View& v) {
  return v.heads * v.queries * kStateBytes;
}

Status FlashAttention(const KernelContext& ctx) {
  Flash flash(ctx, 0, 3);
  SL_ASSIGN_OR_RETURN(AttentionInputs in, AttentionInputs::Make(ctx, 3, 3));
  Args& args = flash.args;
  args.q = in.rows(0), args.k = in.rows(1), args.v = in.rows(2);
  args.out = AddressOf(ctx.out(0)), args.lse = AddressOf(ctx.out(1));
  int64_t bytes = flash.tiles().Bytes(1);
  SL_ASSIGN_OR_RETURN(
      CUfunction function,
      flash.Function("flash_attention.cuh", "flash_attention", bytes));
  return flash.Launch(function, args.heads, args.queries, bytes);
}

Status FlashAttentionGrad(const KernelContext& ctx) {
  Flash flash(ctx, 1, 6);
  SL_ASSIGN_OR_RETURN(AttentionInputs in, AttentionInputs::Make(ctx, 5, 6));
  Args& args = flash.args;
  args.dy = in.rows(0), args.q = in.rows(1), args.k = in.rows(2);
  args.v = in.rows(3), args.y = in.rows(4);
  args.lse = in.at(5), args.state = ctx.workspace();
  args.dq = AddressOf(ctx.out(0)), args.dk = AddressOf(ctx.out(1));
  args.dv = AddressOf(ctx.out(2));
  int64_t bytes = flash.tiles().Bytes(2);
  int64_t with_states = bytes + 2 * kStepRows * kStateBytes;
  SL_ASSIGN_OR_RETURN(
      CUfunction by_queries,
      flash.Function("flash_grad_queries.cuh", "flash_grad_queries", bytes));
  SL_ASSIGN_OR_RETURN(
      CUfunction by_keys,
      flash.Function("flash_grad_keys.cuh", "flash_grad_keys", with_states));
  SL_RETURN_IF_ERROR(flash.Launch(by_queries, args.heads, args.queries, bytes));
  return flash.Launch(by_keys, args.kv_heads, args.keys, with_states);
}

}  // namespace sluice
