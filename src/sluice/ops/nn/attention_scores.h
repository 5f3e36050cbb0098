// Attention written out with all its scores, [..., heads, queries, keys], for
// what the fused gradient does not give: gradients of the mask and of lse, and
// second order. Works in the type of lse.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "sluice/op/grad_context.h"

namespace sluice {

class AttentionScores {
 public:
  // The rule fails where sizes it needs are unknown.
  AttentionScores(GradContext& g, GradVar q, GradVar k, GradVar v, GradVar lse,
                  GradVar mask)
      : g_(g), dtype_(lse.dtype()) {
    const char* missing = ReadSizes(q.shape(), k.shape());
    if (missing) {
      g.fail(missing);
      return;
    }
    q_ = Own(q) * scale_, k_ = Own(k), v_ = Own(v);
    p_ = Probabilities(q, k, lse, mask);
  }

  // softmax(q k' scale + mask).
  GradVar p() const { return p_; }
  GradVar q() const { return q_; }  // times the scale
  GradVar k() const { return k_; }
  GradVar v() const { return v_; }
  double scale() const { return scale_; }

  GradVar Own(GradVar x) const { return g_.cast(x, dtype_); }
  // Rows of queries times rows of keys: scores.
  GradVar Scores(GradVar queries, GradVar keys) const {
    return Apart(Product(Together(queries), keys, false, true), keys, -2);
  }
  // Sums over keys of scores times rows of keys: rows of queries.
  GradVar ToQueries(GradVar scores, GradVar keys) const {
    return Apart(Product(Together(scores), keys, false, false), keys, -1);
  }
  // Sums over queries of scores times rows of queries: rows of keys.
  GradVar ToKeys(GradVar scores, GradVar queries) const {
    return Product(Together(scores), Together(queries), true, false);
  }
  GradVar SumOfRows(GradVar x) const {
    return g_.call("Sum", {x},
                   {{"axes", std::vector<int64_t>{-1}}, {"keep_dims", true}});
  }
  // What flows into the scores, from what flows into lse.
  GradVar FromLse(GradVar dlse) const {
    return p_ * g_.call("ExpandDims", {dlse}, {{"axis", -1}});
  }
  // From what flows into y: p (dy v' - sum(dy y)).
  GradVar FromY(GradVar dy, GradVar y) const {
    return p_ * (Scores(dy, v_) - SumOfRows(dy * y));
  }

 private:
  // Null, or what is missing.
  const char* ReadSizes(const PartialShape& q, const PartialShape& k) {
    if (!q.rank_known() || !k.rank_known()) {
      return "the gradient needs to know how many axes q and k have";
    }
    int rank = q.rank();
    int64_t depth = std::max(q[rank - 1], k[rank - 1]);
    scale_ = g_.attr<double>("scale");
    if (scale_ == 0 && depth < 0) {
      return "the gradient needs to know the size of q's last axis";
    }
    if (scale_ == 0) scale_ = 1 / std::sqrt(static_cast<double>(depth));
    if (rank == 2 || (q[rank - 3] >= 0 && q[rank - 3] == k[rank - 3])) {
      return nullptr;
    }
    // Heads of q that share one of k and v are rows of one product.
    if (!q.fully_known() || !k.fully_known()) {
      return "the gradient needs to know the sizes of q and k";
    }
    heads_.assign(q.dims().begin(), q.dims().end() - 1);
    rows_.assign(k.dims().begin(), k.dims().end() - 1);
    int64_t each = k[rank - 3] > 0 ? q[rank - 3] / k[rank - 3] : 1;
    rows_.back() = each * q[rank - 2];
    return nullptr;
  }
  GradVar Product(GradVar a, GradVar b, bool across_a, bool across_b) const {
    return g_.call("BatchMatMul", {a, b},
                   {{"transpose_a", across_a}, {"transpose_b", across_b}});
  }
  GradVar Reshape(GradVar x, std::vector<int64_t> sizes, int64_t last) const {
    sizes.push_back(last);
    return g_.call("Reshape", {x, g_.ints(sizes)});
  }
  GradVar Together(GradVar x) const {
    if (rows_.empty() || !x) return x;
    return Reshape(x, rows_, x.shape()[x.rank() - 1]);
  }
  // The last axis of the result is this one of keys.
  GradVar Apart(GradVar x, GradVar keys, int axis) const {
    if (rows_.empty() || !x) return x;
    return Reshape(x, heads_, keys.shape()[keys.rank() + axis]);
  }
  // 0, 1, ... up to the size of an axis.
  GradVar Numbers(GradVar x, int axis) const {
    std::vector<int64_t> at = {x.rank() + axis}, one = {1};
    GradVar size =
        g_.call("Slice", {g_.shape_of(x)}, {{"begin", at}, {"size", one}});
    GradVar zero = g_.scalar(0, DType::kI64), step = g_.scalar(1, DType::kI64);
    return g_.call("Range",
                   {zero, g_.call("Reshape", {size, g_.ints({})}), step});
  }
  GradVar Probabilities(GradVar q, GradVar k, GradVar lse, GradVar mask) const {
    GradVar never = g_.scalar(-std::numeric_limits<double>::infinity(), dtype_);
    GradVar s = Scores(q_, k_);
    if (mask && mask.dtype() == DType::kBool) {
      s = g_.call("Select", {mask, s, never});
    } else if (mask) {
      s = s + Own(mask);
    }
    bool causal = g_.attr<bool>("causal");
    if (causal) {
      GradVar row = g_.call("ExpandDims", {Numbers(q, -2)}, {{"axis", 1}});
      GradVar seen = g_.call("GreaterEqual", {row, Numbers(k, -2)});
      s = g_.call("Select", {seen, s, never});
    }
    GradVar z = s - g_.call("ExpandDims", {lse}, {{"axis", -1}});
    if (!mask && !causal) return g_.call("Exp", {z});
    // A query that sees no key has an lse of -infinity as well.
    GradVar zero = g_.scalar(0, dtype_), unseen = g_.call("Equal", {s, never});
    GradVar p = g_.call("Exp", {g_.call("Select", {unseen, zero, z})});
    return g_.call("Select", {unseen, zero, p});
  }

  GradContext& g_;
  DType dtype_;
  double scale_ = 1;
  // Sizes of rows of queries, by head of q and by head of k; none when each
  // has as many.
  std::vector<int64_t> heads_, rows_;
  GradVar q_, k_, v_, p_;
};

}  // namespace sluice
