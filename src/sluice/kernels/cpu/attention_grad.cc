// The gradient of attention. With p = exp(s - lse), the recomputed
// probabilities, and d = sum(dy y) of each query:
//   dv = p' dy,  ds = p (dy v' - d),  dq = scale ds k,  dk = scale ds' q.
// Scores are stored as queries x nr keys: the tile writes them in the layout
// that it reads for dv and dk, and only ds is transposed, for dq.
#include "sluice/base/worker_pool.h"
#include "sluice/kernels/cpu/attention.h"
#include "sluice/kernels/cpu/attention_view.h"
#include "sluice/kernels/cpu/exp_row.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {

using attention::Mask;
using attention::PackColumns;
using attention::PackRows;
using attention::RoundUp;
using attention::Tile;
using attention::View;

namespace {

constexpr int64_t kMaxKeys = 32;     // of a panel, on any machine
constexpr int64_t kMaxQueries = 64;  // at a time
constexpr int64_t kPanels = 4;       // of keys in a block

// score and dp become p and ds; lse and d are repeated for every column.
template <class C>
struct Probabilities {
  static SL_INLINE void Run(C* score, C* dp, const C* lse, const C* d,
                            int64_t n) {
    using L = Lanes<C>;
    int64_t i = 0;
    for (; i + L::kCount <= n; i += L::kCount) {
      L p = rows::ExpNegative(L::Load(score + i) - L::Load(lse + i));
      p.Store(score + i);
      (p * (L::Load(dp + i) - L::Load(d + i))).Store(dp + i);
    }
    for (; i < n; ++i) {
      score[i] = rows::ExpNegative(score[i] - lse[i]);
      dp[i] = score[i] * (dp[i] - d[i]);
    }
  }
};

template <class C>
struct Plan {
  Tile<C> tile;
  int64_t queries;              // in a block
  int64_t keys;                 // in a block
  int64_t query_rows;           // all, padded to whole blocks
  int64_t depth, values;        // padded to whole panels of mr
  int64_t per_head, per_block;  // elements of scratch

  explicit Plan(const View& v) {
    queries = kMaxQueries / tile.mr * tile.mr;
    keys = kPanels * tile.nr;
    query_rows = RoundUp(v.queries, queries);
    depth = RoundUp(v.depth, tile.mr);
    values = RoundUp(v.values, tile.mr);
    per_head = query_rows *
               (v.depth + v.values + depth + values + 2 * tile.nr + v.depth);
    per_block = keys * (v.depth + v.values + RoundUp(v.depth, tile.nr) + depth +
                        values);
  }
  int64_t elements(const View& v) const {
    return v.heads * per_head + v.kv_heads * per_block;
  }
};

template <class T>
class Backward {
 public:
  using C = Compute<T>;

  explicit Backward(KernelContext& ctx)
      : ctx_(ctx),
        v_(ctx.in(1).shape(), ctx.in(2).shape(), ctx.in(3).shape()),
        plan_(v_),
        mask_(ctx.num_inputs() > 6 ? &ctx.in(6) : nullptr, ctx.in(1).shape(),
              v_),
        causal_(ctx.attr<bool>("causal")) {
    scale_ =
        static_cast<C>(attention::Scale(ctx.attr<double>("scale"), v_.depth));
  }

  void Run() {
    ParallelFor(ctx_.step().pool, v_.kv_heads, 1,
                [&](int64_t begin, int64_t end) {
                  for (int64_t kv = begin; kv < end; ++kv) RunHead(kv);
                });
  }

 private:
  // A head of q, packed for every product that uses it.
  struct Queries {
    C *q, *dy;                // panels of mr queries
    C *q_turned, *dy_turned;  // in every block, panels of mr columns
    C *lse, *d;               // nr times for every query
    C* dq;
  };
  Queries Of(int64_t head) const {
    Queries s;
    int64_t n = plan_.query_rows, nr = plan_.tile.nr;
    s.q = static_cast<C*>(ctx_.workspace()) + head * plan_.per_head;
    s.dy = s.q + n * v_.depth;
    s.q_turned = s.dy + n * v_.values;
    s.dy_turned = s.q_turned + n * plan_.depth;
    s.lse = s.dy_turned + n * plan_.values;
    s.d = s.lse + n * nr;
    s.dq = s.d + n * nr;
    return s;
  }

  void PackQueries(int64_t head) {
    Queries s = Of(head);
    const T* dy = ctx_.in(0).data<T>() + head * v_.queries * v_.values;
    const T* q = ctx_.in(1).data<T>() + head * v_.queries * v_.depth;
    const T* y = ctx_.in(4).data<T>() + head * v_.queries * v_.values;
    int mr = plan_.tile.mr;
    int64_t nr = plan_.tile.nr;
    for (int64_t i = 0; i < v_.queries; i += mr) {
      PackRows(q + i * v_.depth, v_.depth, v_.queries - i, v_.depth, mr, scale_,
               s.q + i * v_.depth);
      PackRows(dy + i * v_.values, v_.values, v_.queries - i, v_.values, mr,
               C(1), s.dy + i * v_.values);
    }
    for (int64_t i = 0; i < v_.queries; i += plan_.queries) {
      int64_t n = std::min(plan_.queries, v_.queries - i);
      for (int64_t c = 0; c < v_.depth; c += mr) {
        PackColumns(q + i * v_.depth, v_.depth, n, c, v_.depth, mr,
                    s.q_turned + i * plan_.depth + c * plan_.queries);
      }
      for (int64_t c = 0; c < v_.values; c += mr) {
        PackColumns(dy + i * v_.values, v_.values, n, c, v_.values, mr,
                    s.dy_turned + i * plan_.values + c * plan_.queries);
      }
    }
    for (int64_t i = 0; i < v_.queries; ++i) {
      C d = 0, lse = Lse(head * v_.queries + i);
      for (int64_t c = 0; c < v_.values; ++c) {
        d = MulAdd(static_cast<C>(dy[i * v_.values + c]),
                   static_cast<C>(y[i * v_.values + c]), d);
      }
      // A query without visible keys has no probabilities.
      if (lse == -std::numeric_limits<C>::infinity()) lse = -lse;
      std::fill_n(s.lse + i * nr, nr, lse);
      std::fill_n(s.d + i * nr, nr, d);
    }
    std::fill_n(s.dq, v_.queries * v_.depth, C(0));
  }
  C Lse(int64_t i) const {
    const Array& lse = ctx_.in(5);
    return lse.dtype() == DType::kF64 ? static_cast<C>(lse.data<double>()[i])
                                      : static_cast<C>(lse.data<float>()[i]);
  }

  // A block of keys, packed, with its accumulated gradients.
  struct Keys {
    C *k, *v;      // panels of nr keys
    C* k_columns;  // panels of nr columns
    C *dk, *dv;    // nr keys side by side
  };
  Keys Of(int64_t kv, int64_t key, int64_t count) const {
    Keys b;
    b.k = static_cast<C*>(ctx_.workspace()) + v_.heads * plan_.per_head +
          kv * plan_.per_block;
    b.v = b.k + plan_.keys * v_.depth;
    b.k_columns = b.v + plan_.keys * v_.values;
    b.dk = b.k_columns + plan_.keys * RoundUp(v_.depth, plan_.tile.nr);
    b.dv = b.dk + plan_.keys * plan_.depth;
    const T* k = ctx_.in(2).data<T>() + (kv * v_.keys + key) * v_.depth;
    const T* v = ctx_.in(3).data<T>() + (kv * v_.keys + key) * v_.values;
    int nr = plan_.tile.nr;
    for (int64_t i = 0; i < plan_.keys; i += nr) {
      PackRows(k + i * v_.depth, v_.depth, count - i, v_.depth, nr, C(1),
               b.k + i * v_.depth);
      PackRows(v + i * v_.values, v_.values, count - i, v_.values, nr, C(1),
               b.v + i * v_.values);
    }
    for (int64_t c = 0; c < v_.depth; c += nr) {
      C* panel = b.k_columns + c * plan_.keys;
      PackColumns(k, v_.depth, count, c, v_.depth, nr, panel);
      std::fill_n(panel + count * nr, (plan_.keys - count) * nr, C(0));
    }
    std::fill_n(b.dk, plan_.keys * (plan_.depth + plan_.values), C(0));
    return b;
  }

  void RunHead(int64_t kv) {
    int64_t first = v_.FirstHead(kv);
    for (int64_t h = first; h < first + v_.shared(); ++h) PackQueries(h);
    for (int64_t key = 0; key < v_.keys; key += plan_.keys) {
      int64_t count = std::min(plan_.keys, v_.keys - key);
      Keys b = Of(kv, key, count);
      for (int64_t h = first; h < first + v_.shared(); ++h) {
        for (int64_t q = 0; q < v_.queries; q += plan_.queries) {
          if (causal_ && key >= q + plan_.queries) continue;
          Block(h, q, key, count, b);
        }
      }
      WriteTurned(
          b.dk, count, v_.depth, plan_.depth, scale_,
          ctx_.out(1).mutable_data<T>() + (kv * v_.keys + key) * v_.depth);
      WriteTurned(
          b.dv, count, v_.values, plan_.values, C(1),
          ctx_.out(2).mutable_data<T>() + (kv * v_.keys + key) * v_.values);
    }
    for (int64_t h = first; h < first + v_.shared(); ++h) {
      int64_t n = v_.queries * v_.depth;
      const C* dq = Of(h).dq;
      T* to = ctx_.out(0).mutable_data<T>() + h * n;
      for (int64_t i = 0; i < n; ++i) to[i] = static_cast<T>(dq[i] * scale_);
    }
  }

  // Panels of nr keys side by side as rows of keys.
  void WriteTurned(const C* from, int64_t count, int64_t columns, int64_t rows,
                   C scale, T* to) {
    int64_t nr = plan_.tile.nr;
    C by[kMaxKeys];
    std::fill_n(by, nr, scale);
    for (int64_t i = 0; i < count; i += nr) {
      attention::Turn(from + i * rows, nr, columns, std::min(nr, count - i), by,
                      to + i * columns);
    }
  }

  void Block(int64_t head, int64_t query, int64_t key, int64_t count,
             const Keys& b) {
    const Tile<C>& tile = plan_.tile;
    int64_t mr = tile.mr, nr = tile.nr;
    int64_t n = std::min(plan_.queries, v_.queries - query);
    int64_t panels = RoundUp(count, nr) / nr;
    Queries s = Of(head);
    alignas(64) C score[kMaxQueries * kMaxKeys], ds[kMaxQueries * kMaxKeys];
    alignas(64) C turned[kMaxQueries * kPanels * kMaxKeys];
    for (int64_t p = 0; p < panels; ++p) {
      for (int64_t i = 0; i < n; i += mr) {
        tile.Run(v_.depth, s.q + (query + i) * v_.depth,
                 b.k + p * nr * v_.depth, score + i * nr, nr, n - i, nr, false);
        tile.Run(v_.values, s.dy + (query + i) * v_.values,
                 b.v + p * nr * v_.values, ds + i * nr, nr, n - i, nr, false);
      }
      Hide(head, query, n, key + p * nr, std::min(nr, count - p * nr), score);
      isa::Call<Probabilities<C>>(static_cast<C*>(score), static_cast<C*>(ds),
                                  static_cast<const C*>(s.lse + query * nr),
                                  static_cast<const C*>(s.d + query * nr),
                                  n * nr);
      for (int64_t c = 0; c < v_.values; c += mr) {
        tile.Run(n, s.dy_turned + query * plan_.values + c * plan_.queries,
                 score, b.dv + (p * plan_.values + c) * nr, nr, v_.values - c,
                 nr, true);
      }
      for (int64_t c = 0; c < v_.depth; c += mr) {
        tile.Run(n, s.q_turned + query * plan_.depth + c * plan_.queries, ds,
                 b.dk + (p * plan_.depth + c) * nr, nr, v_.depth - c, nr, true);
      }
      for (int64_t i = 0; i < RoundUp(n, mr); ++i) {
        C* to = turned + i / mr * mr * plan_.keys + p * nr * mr + i % mr;
        for (int64_t j = 0; j < nr; ++j) {
          to[j * mr] = i < n ? ds[i * nr + j] : C(0);
        }
      }
    }
    for (int64_t i = 0; i < n; i += mr) {
      for (int64_t c = 0; c < v_.depth; c += nr) {
        tile.Run(panels * nr, turned + i * plan_.keys,
                 b.k_columns + c * plan_.keys,
                 s.dq + (query + i) * v_.depth + c, v_.depth, n - i,
                 v_.depth - c, true);
      }
    }
  }

  // Masks scores of n queries and `some` keys; lanes without a key are hidden.
  void Hide(int64_t head, int64_t query, int64_t n, int64_t key, int64_t some,
            C* score) {
    constexpr C kNone = -std::numeric_limits<C>::infinity();
    int64_t nr = plan_.tile.nr;
    int64_t at = mask_ ? mask_.Offset(head) : 0;
    for (int64_t i = 0; i < n; ++i, score += nr) {
      int64_t seen = some;
      if (causal_) {
        seen = std::clamp<int64_t>(query + i + 1 - key, 0, some);
      }
      for (int64_t j = 0; mask_ && j < seen; ++j) {
        mask_.Apply(at + (query + i) * mask_.row() + (key + j) * mask_.column(),
                    score + j);
      }
      for (int64_t j = seen; j < nr; ++j) score[j] = kNone;
    }
  }

  KernelContext& ctx_;
  View v_;
  Plan<C> plan_;
  Mask mask_;
  bool causal_;
  C scale_;
};

}  // namespace

Status attention_grad_kernel(KernelContext& ctx) {
  DispatchFloats(ctx.in(0).dtype(), [&]<class T>() { Backward<T>(ctx).Run(); });
  return OkStatus();
}

int64_t attention_grad_workspace(const ShapeContext& c) {
  View v(c.in(1).ToShape(), c.in(2).ToShape(), c.in(3).ToShape());
  return c.in_dtype(0) == DType::kF64 ? Plan<double>(v).elements(v) * 8
                                      : Plan<float>(v).elements(v) * 4;
}

double attention_grad_cost(const ShapeContext& c) {
  for (int i = 1; i < 4; ++i) {
    if (!c.in(i).fully_known()) return 1e6;
  }
  View v(c.in(1).ToShape(), c.in(2).ToShape(), c.in(3).ToShape());
  return 2.0 * static_cast<double>(v.heads) * static_cast<double>(v.queries) *
         static_cast<double>(v.keys) *
         static_cast<double>(3 * v.depth + 2 * v.values + 8);
}

}  // namespace sluice
