// Sizes of matrix products: the last two axes multiply, those before broadcast.
#pragma once

#include "sluice/base/strings.h"
#include "sluice/kernels/cpu/gemm/launch.h"
#include "sluice/kernels/reference.h"
#include "sluice/op/record.h"

namespace sluice {

// Rows, columns and inner size of a product, and which sides are transposed.
struct MatMulSizes {
  int64_t m, n, k;
  bool ta = false, tb = false;
};

template <class S>  // Shape or PartialShape, of rank 2 or more
MatMulSizes SizesOf(const S& a, const S& b, const Attrs& attrs) {
  bool ta = attrs.get<bool>("transpose_a"), tb = attrs.get<bool>("transpose_b");
  int ra = a.rank() - 2, rb = b.rank() - 2;
  return {a.dim(ra + ta), b.dim(rb + !tb), a.dim(ra + !ta), ta, tb};
}

// Refuses inner sizes that are known and differ.
inline Status WantEqualInner(ShapeContext& c) {
  const PartialShape &a = c.in(0), &b = c.in(1);
  if (!a.rank_known() || !b.rank_known()) return OkStatus();
  bool ta = c.attr<bool>("transpose_a"), tb = c.attr<bool>("transpose_b");
  int axis_a = a.rank() - 2 + !ta, axis_b = b.rank() - 2 + tb;
  int64_t ka = a[axis_a], kb = b[axis_b];
  if (ka < 0 || kb < 0 || ka == kb) return OkStatus();
  return c.Error(StrCat("inner sizes differ: ", c.Describe(0), ", ",
                        c.Describe(1), "; wanted a.dim(", axis_a, ") == b.dim(",
                        axis_b, ")"));
}

// About how many operations, from shapes of rank 2 or more.
inline double MatMulCost(const ShapeContext& c) {
  if (!c.in(0).fully_known() || !c.in(1).fully_known() ||
      !c.out(0).fully_known()) {
    return 1e6;
  }
  MatMulSizes s = SizesOf(c.in(0), c.in(1), c.attrs());
  return 2.0 * static_cast<double>(c.out(0).ToShape().num_elements()) *
         static_cast<double>(s.k);
}

// Element (i, j) of the product of the matrices at `batch` of a and b.
inline double MatMulElement(const std::vector<RefArray>& in, const Ints& index,
                            const MatMulSizes& s) {
  double sum = 0;
  Ints a = index, b = index;
  size_t row = index.size() - 2, column = index.size() - 1;
  for (int64_t k = 0; k < s.k; ++k) {
    a[s.ta ? column : row] = index[row], a[s.ta ? row : column] = k;
    b[s.tb ? row : column] = index[column], b[s.tb ? column : row] = k;
    sum += ref::Broadcast(in[0], a) * ref::Broadcast(in[1], b);
  }
  return sum;
}

}  // namespace sluice
