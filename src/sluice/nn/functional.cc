#include "sluice/nn/functional.h"

#include "sluice/eager/autocast.h"
#include "sluice/eager/operators.h"
#include "sluice/nn/beside.h"
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

Tensor dropout_channels(const Tensor& x, double p, bool training, Where where) {
  SL_WANT(p >= 0 && p <= 1, where, "dropout: p is ", p, "; wanted 0 <= p <= 1");
  if (!training || p == 0) return x;
  // One number for each channel: ones, dropped out.
  std::vector<int64_t> axes;
  for (int i = 2; i < x.rank(); ++i) axes.push_back(i);
  Tensor each = x;
  if (!axes.empty()) each = max(x, {.axes = axes, .keep_dims = true});
  Tensor kept = dropout(ones_like(each, {}, where), p, true, where);
  return mul(x, kept, {}, where);
}

Tensor bilinear(const Tensor& x1, const Tensor& x2, const Tensor& weight,
                const Tensor& bias, Where where) {
  Tensor y = einsum({x1, weight, x2}, "...i,oij,...j->...o", {}, where);
  return bias.defined() ? add(y, bias, {}, where) : y;
}

Tensor softplus(const Tensor& x, double beta, double threshold, Where where) {
  if (beta == 1 && threshold == 20) return softplus(x, {}, where);
  SL_WANT(beta != 0, where, "softplus: beta is 0; wanted another");
  Tensor scaled = mul(x, beta, {}, where);
  Tensor smooth = div(softplus(scaled, {}, where), beta, {}, where);
  return sluice::where(greater(scaled, threshold, {}, where), x, smooth, {},
                       where);
}

Tensor rrelu(const Tensor& x, const RreluOptions& options, Where where) {
  const double low = options.lower, high = options.upper;
  SL_WANT(0 <= low && low <= high, where, "rrelu: lower is ", low,
          ", upper is ", high, "; wanted 0 <= lower <= upper");
  if (!options.training) {
    return leaky_relu(x, {.alpha = (low + high) / 2}, {}, where);
  }
  Tensor drawn = options.drawn;
  if (!drawn.defined()) {
    SL_WANT(x.num_elements() >= 0, where, "rrelu: x is ",
            TypeText(x.dtype(), x.shape()), "; wanted a known shape");
    drawn = random_uniform(x.shape(), {.dtype = x.dtype()}, {}, where);
    drawn = nn::Beside(x, drawn, where);
  }
  Tensor slope = drawn * (high - low) + low;
  return sluice::where(x > 0, x, x * slope, {}, where);
}

Tensor local_response_norm(const Tensor& x, int64_t size,
                           const LocalResponseOptions& options, Where where) {
  SL_WANT(size > 0, where, "local_response_norm: size is ", size,
          "; wanted it positive");
  SL_WANT(x.rank() >= 3, where, "local_response_norm: x is ",
          TypeText(x.dtype(), x.shape()), "; wanted [batch, channels, ...]");
  std::vector<int64_t> border(2 * static_cast<size_t>(x.rank()), 0);
  border[2] = size / 2;
  border[3] = (size - 1) / 2;
  Tensor padded = pad(x * x, border, {}, {}, where);
  Tensor squares;
  for (int64_t i = 0; i < size; ++i) {
    // As many channels as x has, from the i-th on.
    int64_t behind = size - 1 - i;
    Index channels = behind == 0 ? slice_from(i) : slice(i, -behind);
    Tensor part = padded.at({all, channels}, where);
    squares = squares.defined() ? squares + part : part;
  }
  Tensor scale = squares * (options.alpha / static_cast<double>(size));
  return x / pow(scale + options.k, options.beta, {}, where);
}

Tensor channel_shuffle(const Tensor& x, int64_t groups, Where where) {
  const int rank = x.rank();
  SL_WANT(rank >= 3 && groups >= 1 && (x.dim(1) < 0 || x.dim(1) % groups == 0),
          where, "channel_shuffle: x is ", TypeText(x.dtype(), x.shape()),
          " and groups ", groups,
          "; wanted [batch, channels, ...] of channels that groups divide");
  int64_t each = x.dim(1) < 0 ? -1 : x.dim(1) / groups;
  std::vector<nn::SizeOf> split{nn::SizeOf(x, 0), groups, each};
  std::vector<nn::SizeOf> whole{nn::SizeOf(x, 0), nn::SizeOf(x, 1)};
  std::vector<int64_t> order{0, 2, 1};
  for (int i = 2; i < rank; ++i) {
    split.emplace_back(x, i);
    whole.emplace_back(x, i);
    order.push_back(i + 1);
  }
  Tensor apart = nn::Reshaped(x, split, where);
  return nn::Reshaped(transpose(apart, {.perm = order}, {}, where), whole,
                      where);
}

Tensor normalize(const Tensor& x, double p, int64_t axis, double eps,
                 Where where) {
  Tensor length =
      norm(x, {.axes = {axis}, .keep_dims = true, .p = p}, {}, where);
  return x / maximum(length, eps, {}, where);
}

Tensor pairwise_distance(const Tensor& x1, const Tensor& x2,
                         const PairwiseDistanceOptions& options, Where where) {
  return norm(x1 - x2 + options.eps,
              {.axes = {-1}, .keep_dims = options.keep_dims, .p = options.p},
              {}, where);
}

Tensor gumbel_softmax(const Tensor& logits, const GumbelSoftmaxOptions& options,
                      Where where) {
  SL_WANT(options.tau > 0, where, "gumbel_softmax: tau is ", options.tau,
          "; wanted it positive");
  SL_WANT(logits.num_elements() >= 0, where, "gumbel_softmax: logits are ",
          TypeText(logits.dtype(), logits.shape()), "; wanted a known shape");
  Tensor noise = -log(
      random_exponential(logits.shape(), {.dtype = logits.dtype()}, {}, where));
  Tensor soft = softmax((logits + noise) / options.tau, {.axis = options.axis},
                        {}, where);
  if (!options.hard) return soft;
  Tensor top = max(soft, {.axes = {options.axis}, .keep_dims = true});
  Tensor picked = cast(soft >= top, logits.dtype());
  return picked - stop_gradient(soft) + soft;
}

Tensor embedding(const Tensor& ids, const Tensor& table,
                 const EmbeddingRows& options, Where where) {
  // A gradient that flows through an op is dense.
  Tensor from = options.sparse ? table : identity(table, {}, where);
  Tensor rows = gather(from, ids, {}, {}, where);
  if (!options.padding_idx) return rows;
  int64_t row = *options.padding_idx;
  if (row < 0) row += table.dim(0);
  SL_WANT(row >= 0 && (table.dim(0) < 0 || row < table.dim(0)), where,
          "embedding: padding_idx is ", *options.padding_idx,
          "; wanted a row of ", table.dim(0));
  Tensor real = expand_dims(not_equal(ids, row, {}, where), -1, {}, where);
  return sluice::where(real, rows, stop_gradient(rows, {}, where), {}, where);
}

Tensor embedding_bag_of_rows(const Tensor& table, const Tensor& ids,
                             const std::string& mode, Where where) {
  Tensor width = shape(ids, {}, where)[1];
  Tensor offsets =
      range(0, size(ids, {}, where), maximum(width, int64_t{1}), {}, where);
  offsets = nn::Beside(ids, offsets, where);
  if (ids.dtype() != DType::kI64) offsets = cast(offsets, ids.dtype());
  return embedding_bag(table, nn::Reshaped(ids, {-1}, where), offsets,
                       {.mode = mode}, {}, where);
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
