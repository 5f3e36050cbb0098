// Unfused attention with all its scores, [..., heads, queries, keys], for cases
// that the fused gradient does not support: gradients of the mask and of lse,
// and second order. Computes in the type of lse.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "sluice/op/grad_context.h"

namespace sluice {

class AttentionScores {
 public:
  // The rule fails where ranks are unknown.
  AttentionScores(GradContext& g, GradVar q, GradVar k, GradVar v, GradVar lse,
                  GradVar mask)
      : g_(g), dtype_(lse.dtype()), rank_(std::max(q.rank(), k.rank())) {
    if (rank_ < 2) {
      g.fail("the gradient needs to know how many axes q has");
      return;
    }
    scale_ = Scale(q);
    ReadHeads(q, k);
    q_ = Own(q) * scale_, k_ = Own(k), v_ = Own(v);
    p_ = Probabilities(q, k, lse, mask);
  }

  // softmax(q k' scale + mask).
  GradVar p() const { return p_; }
  GradVar q() const { return q_; }  // times the scale
  GradVar k() const { return k_; }
  GradVar v() const { return v_; }
  GradVar scale() const { return scale_; }

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
  // The gradient of the scores, from that of lse.
  GradVar FromLse(GradVar dlse) const {
    return p_ * g_.call("ExpandDims", {dlse}, {{"axis", -1}});
  }
  // From what flows into y: p (dy v' - sum(dy y)).
  GradVar FromY(GradVar dy, GradVar y) const {
    return p_ * (Scores(dy, v_) - SumOfRows(dy * y));
  }

 private:
  // `count` sizes of x from axis `begin` on, as a vector.
  GradVar Sizes(GradVar x, int begin, int count) const {
    std::vector<int64_t> from = {begin}, size = {count};
    return g_.call("Slice", {g_.shape_of(x)},
                   {{"begin", from}, {"size", size}});
  }
  GradVar Size(GradVar x, int axis) const {
    return g_.call("Reshape", {Sizes(x, rank_ + axis, 1), g_.ints({})});
  }
  GradVar Scale(GradVar q) const {
    double scale = g_.attr<double>("scale");
    int64_t depth = q.rank() > 0 ? q.shape()[rank_ - 1] : kUnknownDim;
    if (scale == 0 && depth >= 0) {
      scale = 1 / std::sqrt(static_cast<double>(depth));
    }
    if (scale != 0) return g_.scalar(scale, dtype_);
    return 1.0 / g_.call("Sqrt", {g_.cast(Size(q, -1), dtype_)});
  }
  // Heads of q that share one of k and v are rows of one product.
  void ReadHeads(GradVar q, GradVar k) {
    PartialShape sq = q.shape(), sk = k.shape();
    if (rank_ == 2) return;
    if (sq.rank_known() && sk.rank_known()) {
      int64_t mine = sq[rank_ - 3], theirs = sk[rank_ - 3];
      if (mine >= 0 && mine == theirs) return;
    }
    if (sq.fully_known() && sk.fully_known()) {
      known_heads_.assign(sq.dims().begin(), sq.dims().end() - 1);
      known_rows_.assign(sk.dims().begin(), sk.dims().end() - 1);
      known_rows_.back() =
          sq[rank_ - 2] * sq[rank_ - 3] / std::max<int64_t>(sk[rank_ - 3], 1);
      heads_ = g_.ints(known_heads_), rows_ = g_.ints(known_rows_);
      return;
    }
    heads_ = Sizes(q, 0, rank_ - 1);
    GradVar theirs = g_.call("Maximum", {Sizes(k, rank_ - 3, 1), g_.ints({1})});
    GradVar rows = Sizes(q, rank_ - 2, 1) * Sizes(q, rank_ - 3, 1) / theirs;
    rows_ = g_.call("Concat", {Sizes(k, 0, rank_ - 2), rows});
  }
  GradVar Product(GradVar a, GradVar b, bool across_a, bool across_b) const {
    return g_.call("BatchMatMul", {a, b},
                   {{"transpose_a", across_a}, {"transpose_b", across_b}});
  }
  GradVar Together(GradVar x) const {
    return As(x, known_rows_, rows_, x, rank_ - 1);
  }
  // The last axis of the result is this one of keys.
  GradVar Apart(GradVar x, GradVar keys, int axis) const {
    return As(x, known_heads_, heads_, keys, rank_ + axis);
  }
  GradVar As(GradVar x, std::vector<int64_t> known, GradVar sizes, GradVar from,
             int axis) const {
    if (!x || !from) return {};
    if (!sizes) return x;
    if (!known.empty() && from.rank() >= 0 && from.shape()[axis] >= 0) {
      known.push_back(from.shape()[axis]);
      return g_.call("Reshape", {x, g_.ints(known)});
    }
    GradVar last = Sizes(from, axis, 1);
    return g_.call("Reshape", {x, g_.call("Concat", {sizes, last})});
  }
  // 0, 1, ... up to the size of an axis.
  GradVar Numbers(GradVar x, int axis) const {
    GradVar zero = g_.scalar(0, DType::kI64), step = g_.scalar(1, DType::kI64);
    return g_.call("Range", {zero, Size(x, axis), step});
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
    // A query without visible keys also has an lse of -infinity.
    GradVar zero = g_.scalar(0, dtype_), unseen = g_.call("Equal", {s, never});
    GradVar p = g_.call("Exp", {g_.call("Select", {unseen, zero, z})});
    return g_.call("Select", {unseen, zero, p});
  }

  GradContext& g_;
  DType dtype_;
  int rank_;
  GradVar scale_;
  // Sizes of rows of queries, by head of q and by head of k, without the last
  // axis; undefined if both have the same number of heads.
  GradVar heads_, rows_;
  std::vector<int64_t> known_heads_, known_rows_;  // the same, where known
  GradVar q_, k_, v_, p_;
};

}  // namespace sluice
