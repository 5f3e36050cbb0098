// Layers as functions of tensors, by PyTorch's names, where <sluice/ops.h> has
// no such: in graphs, in recorded functions and imperatively.
#pragma once

#include <cstdint>
#include <optional>
#include <source_location>
#include <string>

#include "sluice/eager/tensor.h"

namespace sluice {

// x weight' + bias along the last axis, of any number of axes. A bias that
// holds nothing is left out.
Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias = {},
              std::source_location where = std::source_location::current());

// x with a share p of its elements set to 0 and the others divided by 1 - p, in
// training; x itself otherwise.
Tensor dropout(const Tensor& x, double p, bool training,
               std::source_location where = std::source_location::current());

// The same, where whole channels (axis 1) are dropped: what one draw decides.
Tensor dropout_channels(
    const Tensor& x, double p, bool training,
    std::source_location where = std::source_location::current());

// x1' weight x2 + bias along the last axes, for each output its own matrix:
// weight [outputs, size of x1, size of x2].
Tensor bilinear(const Tensor& x1, const Tensor& x2, const Tensor& weight,
                const Tensor& bias = {},
                std::source_location where = std::source_location::current());

// log(1 + exp(beta x)) / beta; x itself where beta x is above the threshold.
Tensor softplus(const Tensor& x, double beta, double threshold = 20,
                std::source_location where = std::source_location::current());

// x where positive, else times a slope between the two: one drawn for each
// element in training, the mean of both otherwise.
struct RreluOptions {
  double lower = 1.0 / 8, upper = 1.0 / 3;
  bool training = false;
  // Numbers evenly drawn from [0, 1), of the shape and type of x; without them
  // new ones, for which the shape of x must be known.
  Tensor drawn{};
};
Tensor rrelu(const Tensor& x, const RreluOptions& options = {},
             std::source_location where = std::source_location::current());

// x [batch, channels, ...] divided by (k + alpha / size times the sum of the
// squares of `size` neighbours in channels)^beta.
struct LocalResponseOptions {
  double alpha = 1e-4, beta = 0.75, k = 1;
};
Tensor local_response_norm(
    const Tensor& x, int64_t size, const LocalResponseOptions& options = {},
    std::source_location where = std::source_location::current());

// Channels [batch, channels, ...], in so many groups, one of each in turn.
Tensor channel_shuffle(
    const Tensor& x, int64_t groups,
    std::source_location where = std::source_location::current());

// x divided by its p-norm along an axis, or by eps where that is larger.
Tensor normalize(const Tensor& x, double p = 2, int64_t axis = 1,
                 double eps = 1e-12,
                 std::source_location where = std::source_location::current());

// The p-norm of x1 - x2 + eps along the last axis.
struct PairwiseDistanceOptions {
  double p = 2;
  double eps = 1e-6;
  bool keep_dims = false;
};
Tensor pairwise_distance(
    const Tensor& x1, const Tensor& x2,
    const PairwiseDistanceOptions& options = {},
    std::source_location where = std::source_location::current());

// Draws of a categorical distribution that have gradients: near to one-hot rows
// the smaller tau is, or such rows themselves (`hard`) with these gradients.
struct GumbelSoftmaxOptions {
  double tau = 1;
  bool hard = false;
  int64_t axis = -1;
};
Tensor gumbel_softmax(
    const Tensor& logits, const GumbelSoftmaxOptions& options = {},
    std::source_location where = std::source_location::current());

// The rows of a table that ids name, in the shape of ids with a row behind. The
// row `padding_idx` has no gradient; a sparse gradient has only the rows used.
struct EmbeddingRows {
  std::optional<int64_t> padding_idx{};
  bool sparse = false;
};
Tensor embedding(const Tensor& ids, const Tensor& table,
                 const EmbeddingRows& options = {},
                 std::source_location where = std::source_location::current());

// Sums or means of rows: each row of a matrix of ids is a bag.
Tensor embedding_bag_of_rows(
    const Tensor& table, const Tensor& ids, const std::string& mode,
    std::source_location where = std::source_location::current());

// Axes from `start` to `end` as one.
Tensor flatten(const Tensor& x, int start = 0, int end = -1,
               std::source_location where = std::source_location::current());

}  // namespace sluice
