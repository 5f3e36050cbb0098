#include "sluice/kernels/cpu/attention.h"

#include "sluice/base/worker_pool.h"
#include "sluice/kernels/cpu/attention_few.h"
#include "sluice/kernels/cpu/attention_view.h"
#include "sluice/kernels/cpu/exp_row.h"
#include "sluice/kernels/cpu/vector_math.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {

using attention::Mask;
using attention::RoundUp;
using attention::Tile;
using attention::View;

namespace {

// Scores of a block of keys for one panel of queries are stored as keys x nr:
// the tile writes them in the layout that it reads for the packed factor of v.
// kParts Lanes hold the scores of a whole number of keys.
template <class C, int kParts>
struct BlockSoftmax {
  using L = Lanes<C>;
  static constexpr int kPeriod = kParts * L::kCount;

  // Turns scores into exponentials; max and sum are carried on for each query,
  // and `rescale` is what earlier results must be multiplied by.
  static SL_INLINE void Run(C* score, int64_t keys, int64_t nr, C* max, C* sum,
                            C* rescale) {
    constexpr C kNone = -std::numeric_limits<C>::infinity();
    int64_t n = keys * nr, whole = n / kPeriod * kPeriod;
    C lane[kPeriod], shift[kPeriod];
    L part[kParts];
    for (L& p : part) p = L::Of(kNone);
    for (int64_t i = 0; i < whole; i += kPeriod) {
      for (int u = 0; u < kParts; ++u) {
        part[u] = Larger(L::Load(score + i + u * L::kCount), part[u]);
      }
    }
    for (int u = 0; u < kParts; ++u) part[u].Store(lane + u * L::kCount);
    for (int64_t i = whole; i < n; ++i) {
      C& to = lane[i - whole];
      to = score[i] > to ? score[i] : to;
    }
    for (int64_t j = 0; j < nr; ++j) {
      C top = max[j];
      for (int64_t k = j; k < kPeriod; k += nr)
        top = lane[k] > top ? lane[k] : top;
      // A query without a key so far has nothing to subtract or rescale.
      rescale[j] = max[j] == kNone ? C(0) : rows::ExpNegative(max[j] - top);
      max[j] = top;
      for (int64_t k = j; k < kPeriod; k += nr)
        shift[k] = top == kNone ? 0 : top;
    }
    L from[kParts];
    for (int u = 0; u < kParts; ++u) {
      from[u] = L::Load(shift + u * L::kCount);
      part[u] = L::Of(0);
    }
    for (int64_t i = 0; i < whole; i += kPeriod) {
      for (int u = 0; u < kParts; ++u) {
        C* at = score + i + u * L::kCount;
        L e = rows::ExpNegative(L::Load(at) - from[u]);
        e.Store(at);
        part[u] = part[u] + e;
      }
    }
    for (int u = 0; u < kParts; ++u) part[u].Store(lane + u * L::kCount);
    for (int64_t i = whole; i < n; ++i) {
      score[i] = rows::ExpNegative(score[i] - shift[i - whole]);
      lane[i - whole] += score[i];
    }
    for (int64_t j = 0; j < nr; ++j) {
      C total = 0;
      for (int64_t k = j; k < kPeriod; k += nr) total += lane[k];
      sum[j] = MulAdd(sum[j], rescale[j], total);
    }
  }
};

template <class C>
void RunSoftmax(C* score, int64_t keys, int64_t nr, C* max, C* sum,
                C* rescale) {
  // The number of Lanes that hold a whole number of rows of nr.
  int64_t parts = 1;
  while (parts * Lanes<C>::kCount % nr != 0) ++parts;
  switch (parts) {
    case 1:
      return isa::Call<BlockSoftmax<C, 1>>(score, keys, nr, max, sum, rescale);
    case 2:
      return isa::Call<BlockSoftmax<C, 2>>(score, keys, nr, max, sum, rescale);
    default:
      return isa::Call<BlockSoftmax<C, 3>>(score, keys, nr, max, sum, rescale);
  }
}

constexpr int64_t kMaxQueries = 32;  // of a panel, on any machine
constexpr int64_t kMaxBlock = 64;    // keys at a time
constexpr int64_t kStackBytes = 96 << 10;

// The division into tasks: panels of nr queries, a few of them per task; blocks
// of keys that are whole panels of mr.
template <class C>
struct Plan {
  Tile<C> tile;
  int64_t block, key_rows, value_rows;  // rows padded to whole panels
  int64_t panels, per_task;             // panels of queries

  explicit Plan(const View& v) {
    block = kMaxBlock / tile.mr * tile.mr;
    key_rows = RoundUp(v.keys, block);
    value_rows = RoundUp(v.values, tile.mr);
    panels = RoundUp(v.queries, tile.nr) / tile.nr;
    per_task = std::clamp<int64_t>(kStackBytes / panel_bytes(v), 1, 8);
  }
  // A panel of packed queries and of results.
  int64_t panel_bytes(const View& v) const {
    return tile.nr * (v.depth + value_rows + 1) *
           static_cast<int64_t>(sizeof(C));
  }
  bool on_stack(const View& v) const { return panel_bytes(v) <= kStackBytes; }
  int64_t tasks() const { return RoundUp(panels, per_task) / per_task; }
  int64_t packed(const View& v) const {
    return v.kv_heads * key_rows * (v.depth + value_rows);
  }
  int64_t workspace(const View& v) const {
    if (v.queries <= attention::kFewQueries) {
      return v.heads * v.queries * v.values * static_cast<int64_t>(sizeof(C));
    }
    int64_t bytes = packed(v) * static_cast<int64_t>(sizeof(C));
    return on_stack(v) ? bytes : bytes + v.heads * tasks() * panel_bytes(v);
  }
};

template <class T>
class Forward {
 public:
  using C = Compute<T>;

  Forward(KernelContext& ctx)
      : ctx_(ctx),
        v_(ctx.in(0).shape(), ctx.in(1).shape(), ctx.in(2).shape()),
        plan_(v_),
        mask_(ctx.num_inputs() > 3 ? &ctx.in(3) : nullptr, ctx.in(0).shape(),
              v_),
        causal_(ctx.attr<bool>("causal")) {
    scale_ =
        static_cast<C>(attention::Scale(ctx.attr<double>("scale"), v_.depth));
    keys_ = static_cast<C*>(ctx.workspace());
    values_ = keys_ + v_.kv_heads * plan_.key_rows * v_.depth;
  }

  void Run() {
    if (v_.heads == 0 || v_.queries == 0) return;
    if (v_.queries <= attention::kFewQueries) return RunFew();
    int64_t blocks = plan_.key_rows / plan_.block;
    ParallelFor(ctx_.step().pool, v_.kv_heads * blocks, 4,
                [&](int64_t begin, int64_t end) {
                  for (int64_t t = begin; t < end; ++t) {
                    Pack(t / blocks, t % blocks * plan_.block);
                  }
                });
    ParallelFor(ctx_.step().pool, v_.heads * plan_.tasks(), 1,
                [&](int64_t begin, int64_t end) {
                  for (int64_t t = begin; t < end; ++t) RunTask(t);
                });
  }

 private:
  void RunFew() {
    auto* sums = static_cast<C*>(ctx_.workspace());
    ParallelFor(ctx_.step().pool, v_.heads * v_.queries,
                1 + 256 / (v_.keys + 1), [&](int64_t begin, int64_t end) {
                  for (int64_t t = begin; t < end; ++t) {
                    int64_t head = t / v_.queries, kv = v_.KvHead(head);
                    attention::RunQuery<T>(
                        v_, mask_, causal_, scale_, head, t % v_.queries,
                        ctx_.in(0).data<T>() + t * v_.depth,
                        ctx_.in(1).data<T>() + kv * v_.keys * v_.depth,
                        ctx_.in(2).data<T>() + kv * v_.keys * v_.values,
                        sums + t * v_.values,
                        ctx_.out(0).mutable_data<T>() + t * v_.values,
                        ctx_.out(1).mutable_data<C>() + t);
                  }
                });
  }

  // A block of keys of one head: k in panels of mr keys, v in panels of mr
  // columns.
  void Pack(int64_t head, int64_t first) {
    const T* k = ctx_.in(1).data<T>() + head * v_.keys * v_.depth;
    const T* v = ctx_.in(2).data<T>() + head * v_.keys * v_.values;
    int64_t count = std::min(plan_.block, v_.keys - first);
    int mr = plan_.tile.mr;
    for (int64_t i = 0; i < count; i += mr) {
      attention::PackRows(k + (first + i) * v_.depth, v_.depth, count - i,
                          v_.depth, mr, C(1), Keys(head, first + i));
    }
    for (int64_t c = 0; c < v_.values; c += mr) {
      attention::PackColumns(v + first * v_.values, v_.values, count, c,
                             v_.values, mr,
                             Values(head, first) + c * plan_.block);
    }
  }
  C* Keys(int64_t head, int64_t key) const {
    return keys_ + (head * plan_.key_rows + key) * v_.depth;
  }
  C* Values(int64_t head, int64_t key) const {
    return values_ + (head * plan_.key_rows + key) * plan_.value_rows;
  }

  void RunTask(int64_t t) {
    if (plan_.on_stack(v_)) {
      alignas(64) char scratch[kStackBytes];
      RunPanels(t, reinterpret_cast<C*>(scratch));
    } else {
      char* rest = reinterpret_cast<char*>(keys_ + plan_.packed(v_));
      RunPanels(t, reinterpret_cast<C*>(rest + t * plan_.panel_bytes(v_)));
    }
  }

  void RunPanels(int64_t t, C* scratch) {
    int64_t head = t / plan_.tasks(), nr = plan_.tile.nr;
    int64_t first = t % plan_.tasks() * plan_.per_task;
    int64_t count = std::min(plan_.per_task, plan_.panels - first);
    C* queries = scratch;
    C* results = queries + count * nr * v_.depth;
    C max[8 * kMaxQueries], sum[8 * kMaxQueries];
    std::fill_n(max, count * nr, -std::numeric_limits<C>::infinity());
    std::fill_n(sum, count * nr, C(0));
    std::fill_n(results, count * nr * plan_.value_rows, C(0));
    const T* q = ctx_.in(0).data<T>() + head * v_.queries * v_.depth;
    for (int64_t p = 0; p < count; ++p) {
      int64_t at = (first + p) * nr;
      attention::PackRows(q + at * v_.depth, v_.depth, v_.queries - at,
                          v_.depth, static_cast<int>(nr), scale_,
                          queries + p * nr * v_.depth);
    }
    for (int64_t key = 0; key < v_.keys; key += plan_.block) {
      for (int64_t p = 0; p < count; ++p) {
        // Keys after all of the panel's queries are invisible.
        if (causal_ && key >= (first + p + 1) * nr) continue;
        Block(head, key, (first + p) * nr, queries + p * nr * v_.depth,
              max + p * nr, sum + p * nr, results + p * nr * plan_.value_rows);
      }
    }
    for (int64_t p = 0; p < count; ++p) {
      Finish(head, (first + p) * nr, max + p * nr, sum + p * nr,
             results + p * nr * plan_.value_rows);
    }
  }

  // One panel of queries with one block of keys.
  void Block(int64_t head, int64_t key, int64_t query, const C* queries, C* max,
             C* sum, C* results) {
    const Tile<C>& tile = plan_.tile;
    int64_t nr = tile.nr, mr = tile.mr, kv = v_.KvHead(head);
    int64_t count = std::min(plan_.block, v_.keys - key);
    alignas(64) C score[kMaxBlock * kMaxQueries];
    for (int64_t i = 0; i < count; i += mr) {
      tile.Run(v_.depth, Keys(kv, key + i), queries, score + i * nr, nr,
               count - i, nr, false);
    }
    int64_t some = std::min(nr, v_.queries - query);
    if (mask_) {
      int64_t at =
          mask_.Offset(head) + query * mask_.row() + key * mask_.column();
      for (int64_t i = 0; i < count; ++i) {
        for (int64_t j = 0; j < some; ++j) {
          mask_.Apply(at + j * mask_.row() + i * mask_.column(),
                      &score[i * nr + j]);
        }
      }
    }
    if (causal_) {
      for (int64_t i = std::max<int64_t>(0, query + 1 - key); i < count; ++i) {
        int64_t hidden = std::min(nr, key + i - query);
        std::fill_n(score + i * nr, hidden,
                    -std::numeric_limits<C>::infinity());
      }
    }
    C rescale[kMaxQueries];
    RunSoftmax(score, count, nr, max, sum, rescale);
    bool same = true;
    for (int64_t j = 0; j < nr; ++j) same = same && rescale[j] == C(1);
    if (!same) {
      for (int64_t i = 0; i < v_.values; ++i) {
        SL_VECTORIZE
        for (int64_t j = 0; j < nr; ++j) results[i * nr + j] *= rescale[j];
      }
    }
    for (int64_t i = 0; i < v_.values; i += mr) {
      tile.Run(count, Values(kv, key) + i * plan_.block, score,
               results + i * nr, nr, v_.values - i, nr, true);
    }
  }

  void Finish(int64_t head, int64_t query, const C* max, const C* sum,
              const C* results) {
    int64_t nr = plan_.tile.nr, some = std::min(nr, v_.queries - query);
    T* y =
        ctx_.out(0).mutable_data<T>() + (head * v_.queries + query) * v_.values;
    C* lse = ctx_.out(1).mutable_data<C>() + head * v_.queries + query;
    C by[kMaxQueries];
    for (int64_t j = 0; j < some; ++j) {
      by[j] = sum[j] == 0 ? C(0) : 1 / sum[j];
      lse[j] = sum[j] == 0 ? -std::numeric_limits<C>::infinity()
                           : max[j] + vmath::Log(sum[j]);
    }
    attention::Turn(results, nr, v_.values, some, by, y);
  }

  KernelContext& ctx_;
  View v_;
  Plan<C> plan_;
  Mask mask_;
  bool causal_;
  C scale_;
  C *keys_, *values_;  // packed
};

}  // namespace

Status attention_kernel(KernelContext& ctx) {
  DispatchFloats(ctx.in(0).dtype(), [&]<class T>() { Forward<T>(ctx).Run(); });
  return OkStatus();
}

int64_t attention_workspace(const ShapeContext& c) {
  View v(c.in(0).ToShape(), c.in(1).ToShape(), c.in(2).ToShape());
  return c.in_dtype(0) == DType::kF64 ? Plan<double>(v).workspace(v)
                                      : Plan<float>(v).workspace(v);
}

double attention_cost(const ShapeContext& c) {
  for (int i = 0; i < 3; ++i) {
    if (!c.in(i).fully_known()) return 1e6;
  }
  View v(c.in(0).ToShape(), c.in(1).ToShape(), c.in(2).ToShape());
  return 2.0 * static_cast<double>(v.heads) * static_cast<double>(v.queries) *
         static_cast<double>(v.keys) *
         static_cast<double>(v.depth + v.values + 8);
}

}  // namespace sluice
