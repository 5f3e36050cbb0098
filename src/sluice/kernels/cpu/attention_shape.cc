// Shape functions of attention and its gradient.
#include <utility>
#include <vector>

#include "sluice/base/strings.h"
#include "sluice/kernels/cpu/attention.h"
#include "sluice/kernels/shape_value.h"

namespace sluice {

namespace {

int64_t FromEnd(const PartialShape& s, int k) { return s[s.rank() - k]; }

// The common size of both, or an error with these words.
Status SameSize(const ShapeContext& c, int a, int64_t size_a, int b,
                int64_t size_b, std::string_view wanted) {
  if (size_a < 0 || size_b < 0 || size_a == size_b) return OkStatus();
  return c.Error(
      StrCat(c.Describe(a), ", ", c.Describe(b), "; wanted ", wanted));
}

// Inputs q, k, v from `first` on.
Status CheckHeads(const ShapeContext& c, int q, int k, int v) {
  const PartialShape &sq = c.in(q), &sk = c.in(k), &sv = c.in(v);
  for (int i : {q, k, v}) SL_RETURN_IF_ERROR(c.WantRankAtLeast(i, 2));
  for (auto [a, b] : {std::pair{q, k}, {q, v}, {k, v}}) {
    if (c.in(a).rank_known() && c.in(b).rank_known() &&
        c.in(a).rank() != c.in(b).rank()) {
      return c.Error(
          StrCat(c.Describe(a), ", ", c.Describe(b), "; wanted equal ranks"));
    }
  }
  if (sq.rank_known() && sk.rank_known()) {
    SL_RETURN_IF_ERROR(SameSize(c, q, FromEnd(sq, 1), k, FromEnd(sk, 1),
                                "equal sizes of the last axis"));
    for (int i = 0; i < sq.rank() - 3; ++i) {
      SL_RETURN_IF_ERROR(
          SameSize(c, q, sq[i], k, sk[i], "equal axes before the heads"));
    }
    if (sq.rank() > 2 && FromEnd(sq, 3) >= 0 && FromEnd(sk, 3) >= 0) {
      int64_t hq = FromEnd(sq, 3), hk = FromEnd(sk, 3);
      if (hk == 0 ? hq != 0 : hq % hk != 0) {
        return c.Error(StrCat(c.Describe(q), ", ", c.Describe(k),
                              "; wanted q's heads (axis -3) to be a multiple "
                              "of k's"));
      }
    }
  }
  if (sk.rank_known() && sv.rank_known()) {
    for (int i = 0; i < sk.rank() - 1; ++i) {
      SL_RETURN_IF_ERROR(
          SameSize(c, k, sk[i], v, sv[i], "equal sizes but for the last axis"));
    }
  }
  return OkStatus();
}

// Input `mask`, if present, broadcasts to queries x keys of every head.
Status CheckMask(const ShapeContext& c, int q, int k, int mask) {
  if (c.num_inputs() > mask + 1) {
    return c.Error(
        StrCat("takes at most one mask, got ", c.num_inputs() - mask));
  }
  if (c.num_inputs() <= mask || !c.in(q).rank_known() ||
      !c.in(k).rank_known() || !c.in(mask).rank_known()) {
    return OkStatus();
  }
  PartialShape scores = c.in(q);
  scores.set_dim(scores.rank() - 1, FromEnd(c.in(k), 2));
  const PartialShape& m = c.in(mask);
  bool fits = m.rank() <= scores.rank();
  for (int i = 1; fits && i <= m.rank(); ++i) {
    int64_t have = FromEnd(m, i), want = FromEnd(scores, i);
    fits = have == 1 || have < 0 || want < 0 || have == want;
  }
  if (fits) return OkStatus();
  return c.Error(StrCat(c.Describe(mask),
                        "; wanted a shape that broadcasts to ", scores,
                        ", scores of every query and key"));
}

}  // namespace

Status attention_shape(ShapeContext& c) {
  SL_RETURN_IF_ERROR(CheckHeads(c, 0, 1, 2));
  SL_RETURN_IF_ERROR(CheckMask(c, 0, 1, 3));
  const PartialShape &q = c.in(0), &v = c.in(2);
  if (!q.rank_known()) return OkStatus();
  std::vector<int64_t> dims(q.dims().begin(), q.dims().end());
  dims.back() = v.rank_known() ? FromEnd(v, 1) : kUnknownDim;
  SL_ASSIGN_OR_RETURN(PartialShape y, MakeOutShape(c, dims));
  dims.pop_back();
  SL_ASSIGN_OR_RETURN(PartialShape lse, MakeOutShape(c, dims));
  c.set_out(0, y);
  c.set_out(1, lse);
  return OkStatus();
}

Status attention_grad_shape(ShapeContext& c) {
  SL_RETURN_IF_ERROR(CheckHeads(c, 1, 2, 3));
  SL_RETURN_IF_ERROR(CheckMask(c, 1, 2, 6));
  const PartialShape &q = c.in(1), &v = c.in(3);
  for (int i = 0; i < 3; ++i) c.set_out(i, c.in(1 + i));
  if (!q.rank_known()) return OkStatus();
  PartialShape y = q;
  y.set_dim(q.rank() - 1, v.rank_known() ? FromEnd(v, 1) : kUnknownDim);
  SL_ASSIGN_OR_RETURN(PartialShape lse,
                      MakeOutShape(c, q.dims().first(q.dims().size() - 1)));
  for (int i : {0, 4}) {
    if (!y.CompatibleWith(c.in(i))) {
      return c.Error(StrCat(c.Describe(i), "; wanted shape ", y));
    }
  }
  if (!lse.CompatibleWith(c.in(5))) {
    return c.Error(StrCat(c.Describe(5), "; wanted shape ", lse));
  }
  return OkStatus();
}

}  // namespace sluice
