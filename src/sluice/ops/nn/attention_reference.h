// Attention one score at a time, for the references of Attention and its
// gradient.
#pragma once

#include <cmath>
#include <limits>

#include "sluice/kernels/reference.h"

namespace sluice::ref {

// The operands of one attention, addressed by head.
struct Attention {
  const RefArray &q, &k, &v;
  const RefArray* mask;
  Attrs attrs;
  int64_t heads = 1, queries, keys, depth, values;

  Attention(const RefArray& q_in, const RefArray& k_in, const RefArray& v_in,
            const RefArray* mask_in, const Attrs& a)
      : q(q_in), k(k_in), v(v_in), mask(mask_in), attrs(a) {
    int r = q.shape.rank();
    for (int i = 0; i < r - 2; ++i) heads *= q.shape.dim(i);
    queries = q.shape.dim(r - 2), depth = q.shape.dim(r - 1);
    keys = k.shape.dim(r - 2), values = v.shape.dim(r - 1);
  }
  // The head of k and v for a head of q.
  int64_t Kv(int64_t head) const {
    int r = q.shape.rank();
    if (r == 2) return 0;
    int64_t mine = q.shape.dim(r - 3), theirs = k.shape.dim(r - 3);
    return head / mine * theirs + head % mine / (mine / theirs);
  }
  double Q(int64_t h, int64_t i, int64_t c) const {
    return q.v[static_cast<size_t>((h * queries + i) * depth + c)];
  }
  double K(int64_t h, int64_t j, int64_t c) const {
    return k.v[static_cast<size_t>((Kv(h) * keys + j) * depth + c)];
  }
  double V(int64_t h, int64_t j, int64_t c) const {
    return v.v[static_cast<size_t>((Kv(h) * keys + j) * values + c)];
  }
  double Scale() const {
    double scale = attrs.get<double>("scale");
    return scale != 0 ? scale : 1 / std::sqrt(static_cast<double>(depth));
  }
  double Score(int64_t h, int64_t i, int64_t j) const {
    if (attrs.get<bool>("causal") && j > i) {
      return -std::numeric_limits<double>::infinity();
    }
    double s = 0;
    for (int64_t c = 0; c < depth; ++c) s += Q(h, i, c) * K(h, j, c) * Scale();
    if (!mask) return s;
    Ints at = {i, j};
    for (int a = q.shape.rank() - 3; a >= 0; --a) {
      at.insert(at.begin(), h % q.shape.dim(a));
      h /= q.shape.dim(a);
    }
    double m = Broadcast(*mask, at);
    if (mask->dtype != DType::kBool) return s + m;
    return m != 0 ? s : -std::numeric_limits<double>::infinity();
  }
};

}  // namespace sluice::ref
