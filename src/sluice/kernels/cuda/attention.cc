// Attention and its gradient: fused if possible (flash_attention.h); otherwise
// the scores of some heads at a time, by matrix products with the row
// operations between them in source/attention.cuh.
#include <algorithm>

#include "sluice/base/strings.h"
#include "sluice/kernels/cpu/attention_view.h"
#include "sluice/kernels/cuda/attention_inputs.h"
#include "sluice/kernels/cuda/flash_attention.h"
#include "sluice/kernels/cuda/gemm.h"
#include "sluice/kernels/cuda/slice_plan.h"
#include "sluice/op/record.h"

namespace sluice {

namespace {

// Layout as in source/attention.cuh.
struct Args {
  GpuSlices s;
  const void *scores = nullptr, *dp = nullptr;
  void *p = nullptr, *ds = nullptr, *lse = nullptr;
  const void *dy = nullptr, *y = nullptr;
  int64_t values = 0, queries = 0, first_row = 0;
  double scale = 0;
  GpuAttentionMask mask;
};

// The number of scores that exist at a time: enough to keep a GPU busy, few
// enough to leave memory for others.
constexpr int64_t kSomeBytes = int64_t{512} << 20;

// The scores of a query that a thread keeps: a warp handles a thousand of them.
constexpr int64_t kHeld = 32;

DType ScoreType(DType t) { return t == DType::kF64 ? t : DType::kF32; }

// The position of the scores of some heads of k and v in scratch space and, for
// types narrower than the scores, of the probabilities.
struct Scratch {
  int64_t heads = 1, wide = 0, narrow = 0;  // bytes of one array of each

  Scratch(const attention::View& v, DType dtype, int64_t arrays) {
    DType scores = ScoreType(dtype);
    int64_t each = v.shared() * v.queries * v.keys;
    int64_t bytes =
        each * arrays *
        (DTypeSize(scores) + (dtype == scores ? 0 : DTypeSize(dtype)));
    heads = std::clamp<int64_t>(kSomeBytes / std::max<int64_t>(bytes, 1), 1,
                                std::max<int64_t>(v.kv_heads, 1));
    auto aligned = [&](DType t) {
      return (each * heads * DTypeSize(t) + 255) / 256 * 256;
    };
    wide = aligned(scores);
    narrow = dtype == scores ? 0 : aligned(dtype);
  }
  int64_t bytes(int64_t arrays) const { return arrays * (wide + narrow); }
};

class Heads {
 public:
  // `first`: the input number of q. `mask`: that of the mask, if there is one.
  // `arrays`: the number of score arrays in `space`.
  Heads(KernelContext& ctx, const AttentionInputs& in, int first, int mask,
        int64_t arrays, char* space)
      : ctx_(ctx),
        in_(in),
        dtype_(ctx.in(first).dtype()),
        view_(ctx.in(first).shape(), ctx.in(first + 1).shape(),
              ctx.in(first + 2).shape()),
        scratch_(view_, dtype_, arrays),
        arrays_(arrays),
        space_(space),
        rows_(view_.shared() * view_.queries),
        q_(in.at(first)),
        k_(in.at(first + 1)),
        v_(in.at(first + 2)),
        mask_kind_(MaskKind(ctx, mask)) {
    args_.values = view_.values;
    args_.queries = view_.queries;
    args_.scale = attention::Scale(ctx.attr<double>("scale"), view_.depth);
    if (mask_kind_ != 0) {
      args_.mask =
          GpuAttentionMask(ctx.in(mask), ctx.in(first).shape(), view_.keys);
    }
  }

  Status Forward() {
    auto* y = AddressOf<char>(ctx_.out(0));
    for (head_ = 0; head_ < view_.kv_heads; head_ += scratch_.heads) {
      some_ = std::min(scratch_.heads, view_.kv_heads - head_);
      SetRows(AddressOf<char>(ctx_.out(1)));
      char* scores = Place(0);
      args_.scores = scores;
      args_.p = narrow() ? Narrow(0) : scores;
      SL_RETURN_IF_ERROR(Product(Rows(q_, view_.depth),
                                 Columns(k_, view_.depth), rows_, view_.keys,
                                 view_.depth, scores, true));
      SL_RETURN_IF_ERROR(Launch("attention"));
      SL_RETURN_IF_ERROR(Product(Scores(args_.p), Keys(v_, view_.values), rows_,
                                 view_.values, view_.keys,
                                 At(y, rows_ * view_.values), false));
    }
    return OkStatus();
  }

  Status Gradient() {
    char *dy = in_.at(0), *y = in_.at(4);
    int64_t keys = view_.keys, depth = view_.depth, values = view_.values;
    for (head_ = 0; head_ < view_.kv_heads; head_ += scratch_.heads) {
      some_ = std::min(scratch_.heads, view_.kv_heads - head_);
      SetRows(in_.at(5));
      char *scores = Place(0), *dp = Place(1);
      args_.scores = scores;
      args_.dp = dp;
      args_.p = narrow() ? Narrow(0) : scores;
      args_.ds = narrow() ? Narrow(1) : dp;
      args_.dy = At(dy, rows_ * values);
      args_.y = At(y, rows_ * values);
      SL_RETURN_IF_ERROR(Product(Rows(q_, depth), Columns(k_, depth), rows_,
                                 keys, depth, scores, true));
      SL_RETURN_IF_ERROR(Product(Rows(dy, values), Columns(v_, values), rows_,
                                 keys, values, dp, true));
      SL_RETURN_IF_ERROR(Launch("attention_grad"));
      SL_RETURN_IF_ERROR(Product(Scores(args_.ds), Keys(k_, depth), rows_,
                                 depth, keys, Out(0, rows_ * depth), false));
      SL_RETURN_IF_ERROR(Product(Across(args_.ds), Rows(q_, depth), keys, depth,
                                 rows_, Out(1, keys * depth), false));
      SL_RETURN_IF_ERROR(Product(Across(args_.p), Rows(dy, values), keys,
                                 values, rows_, Out(2, keys * values), false));
    }
    return OkStatus();
  }

 private:
  bool narrow() const { return scratch_.narrow > 0; }
  char* Place(int64_t n) const { return space_ + n * scratch_.wide; }
  char* Narrow(int64_t n) const { return Place(arrays_) + n * scratch_.narrow; }
  // The address in an operand with this many elements for each head of k and v.
  char* At(char* base, int64_t elements) const {
    return base + head_ * elements * DTypeSize(dtype_);
  }
  char* Out(int i, int64_t elements) const {
    return At(AddressOf<char>(ctx_.out(i)), elements);
  }
  // q and dy; k and v read across, and as they are.
  GpuMatrix Rows(char* base, int64_t n) const {
    return {At(base, rows_ * n), n, false, rows_ * n};
  }
  GpuMatrix Columns(char* base, int64_t n) const {
    return {At(base, view_.keys * n), n, true, view_.keys * n};
  }
  GpuMatrix Keys(char* base, int64_t n) const {
    return {At(base, view_.keys * n), n, false, view_.keys * n};
  }
  GpuMatrix Scores(const void* p) const {
    return {p, view_.keys, false, rows_ * view_.keys};
  }
  GpuMatrix Across(const void* p) const {
    return {p, view_.keys, true, rows_ * view_.keys};
  }

  Status Product(const GpuMatrix& a, const GpuMatrix& b, int64_t m, int64_t n,
                 int64_t k, void* c, bool wide) const {
    GpuGemm gemm;
    gemm.dtype = dtype_;
    gemm.c_dtype = wide ? ScoreType(dtype_) : dtype_;
    gemm.m = m, gemm.n = n, gemm.k = k, gemm.batch = some_;
    gemm.a = a, gemm.b = b, gemm.c = c;
    gemm.c_batch_step = m * n;
    return RunGemm(ctx_, gemm);
  }

  void SetRows(char* lse) {
    args_.first_row = head_ * rows_;
    args_.lse = lse + args_.first_row * DTypeSize(ScoreType(dtype_));
  }

  Status Launch(const char* name) {
    std::string before = StrCat(ElementType(dtype_), "\n#define SL_CAUSAL ",
                                ctx_.attr<bool>("causal") ? 1 : 0,
                                "\n#define SL_MASK ", mask_kind_);
    return LaunchSlices(ctx_, "attention.cuh", before, name,
                        SlicePlan(some_ * rows_, view_.keys, kHeld), args_);
  }

  KernelContext& ctx_;
  const AttentionInputs& in_;
  DType dtype_;
  attention::View view_;
  Scratch scratch_;
  int64_t arrays_;
  char* space_;
  int64_t rows_;  // queries for each head of k and v
  char *q_, *k_, *v_;
  int mask_kind_;
  Args args_;
  int64_t head_ = 0, some_ = 0;  // of k and v, at the moment
};

// Computed before a launch. For a fused gradient: its scratch space.
int64_t Space(const ShapeContext& c, int first, int64_t arrays) {
  attention::View view(c.in(first).ToShape(), c.in(first + 1).ToShape(),
                       c.in(first + 2).ToShape());
  DType dtype = c.in_dtype(first);
  if (FlashServes(view, dtype)) return first == 0 ? 0 : FlashGradSpace(view);
  return Scratch(view, dtype, arrays).bytes(arrays);
}

// Fused, if supported; otherwise `run` with inputs in row-major order.
template <class Run>
Status FusedOr(KernelContext& ctx, Status (*fused)(const KernelContext&),
               int first, int mask, int64_t arrays, Run run) {
  attention::View view(ctx.in(first).shape(), ctx.in(first + 1).shape(),
                       ctx.in(first + 2).shape());
  DType dtype = ctx.in(first).dtype();
  bool serves = FlashServes(view, dtype);
  if (serves) {
    Status status = fused(ctx);
    if (status.code() != Code::kUnimplemented) return status;
  }
  // The space planned for this call is that of what this GPU lacks.
  int64_t more =
      serves ? Scratch(view, dtype, arrays).bytes(arrays) : int64_t{0};
  SL_ASSIGN_OR_RETURN(AttentionInputs in,
                      AttentionInputs::Make(ctx, 0, mask, more));
  char* space = serves ? in.more() : static_cast<char*>(ctx.workspace());
  return run(Heads(ctx, in, first, mask, arrays, space));
}

Status Attention(KernelContext& ctx) {
  return FusedOr(ctx, FlashAttention, 0, 3, 1,
                 [](Heads heads) { return heads.Forward(); });
}
Status AttentionGrad(KernelContext& ctx) {
  // Types that Attention does not produce: they only occur in tests.
  if (ctx.in(5).dtype() != ScoreType(ctx.in(1).dtype())) return NotServed();
  return FusedOr(ctx, FlashAttentionGrad, 1, 6, 2,
                 [](Heads heads) { return heads.Gradient(); });
}

SL_KERNEL(Attention, kCuda,
          Kernel{
              .launch = Attention,
              .workspace = [](const ShapeContext& c) { return Space(c, 0, 1); },
              .strided_inputs = true});
SL_KERNEL(AttentionGrad, kCuda,
          Kernel{
              .launch = AttentionGrad,
              .workspace = [](const ShapeContext& c) { return Space(c, 1, 2); },
              .strided_inputs = true});

}  // namespace

}  // namespace sluice
