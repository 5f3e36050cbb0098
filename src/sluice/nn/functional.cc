#include "sluice/nn/functional.h"

#include "sluice/eager/autocast.h"
#include "sluice/nn/checks.h"
#include "sluice/nn/reshape.h"
#include "sluice/ops.h"

namespace sluice {

using Where = std::source_location;

namespace {

Tensor PlainLinear(const Tensor& x, const Tensor& weight, const Tensor& bias,
                   Where where) {
  int rank = x.rank();
  SL_WANT(rank != 0, where, "linear: x is a scalar; wanted ", weight.dim(1),
          " numbers along its last axis");
  bool fits = rank < 0 || x.dim(-1) < 0 || weight.dim(1) < 0 ||
              x.dim(-1) == weight.dim(1);
  SL_WANT(fits, where, "linear: x is ", TypeText(x.dtype(), x.shape()),
          "; wanted a last axis of ", weight.dim(1), ", as the weight ",
          TypeText(weight.dtype(), weight.shape()), " has");
  // Said of x: the weight is what it is.
  SL_WANT(x.dtype() == weight.dtype(), where, "linear: x is ",
          TypeText(x.dtype(), x.shape()), "; wanted ",
          DTypeName(weight.dtype()), ", as the weight has");
  // One product of matrices, whatever axes come before: that of a stack would
  // make a gradient of the weight for each.
  Tensor rows = x;
  bool whole = rank < 0 || rank == 2;
  if (!whole) {
    rows = nn::Reshaped(x, {-1, nn::SizeOf(weight, 1)}, where);
  }
  Tensor y = matmul(rows, weight, {.transpose_b = true}, {}, where);
  if (bias.defined()) y = add(y, bias, {}, where);
  if (whole) return y;
  std::vector<nn::SizeOf> sizes;
  for (int i = 0; i + 1 < rank; ++i) sizes.emplace_back(x, i);
  sizes.emplace_back(weight, 0);
  return nn::Reshaped(y, sizes, where);
}

}  // namespace

Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias,
              Where where) {
  if (autocast_type() == DType::kInvalid) [[likely]]
    return PlainLinear(x, weight, bias, where);
  using front_internal::Lowered;
  return PlainLinear(Lowered(x, where), Lowered(weight, where),
                     Lowered(bias, where), where);
}

Tensor dropout(const Tensor& x, double p, bool training, Where where) {
  SL_WANT(p >= 0 && p <= 1, where, "dropout: p is ", p, "; wanted 0 <= p <= 1");
  if (!training || p == 0) return x;
  return dropout(x, {.rate = p}, {}, where).y;
}

Tensor flatten(const Tensor& x, int start, int end, Where where) {
  int rank = x.rank();
  SL_WANT(rank >= 0, where, "flatten: the number of axes is unknown");
  if (rank == 0) return nn::Reshaped(x, {1}, where);
  int first = start < 0 ? start + rank : start;
  int last = end < 0 ? end + rank : end;
  SL_WANT(first >= 0 && first <= last && last < rank, where, "flatten: x is ",
          TypeText(x.dtype(), x.shape()), ", start is ", start, ", end is ",
          end, "; wanted start <= end, both axes of x");
  if (first == last) return x;
  std::vector<nn::SizeOf> sizes;
  for (int i = 0; i < first; ++i) sizes.emplace_back(x, i);
  sizes.emplace_back(nn::ProductOf(x, first, last + 1));
  for (int i = last + 1; i < rank; ++i) sizes.emplace_back(x, i);
  return nn::Reshaped(x, sizes, where);
}

}  // namespace sluice
