// Losses by PyTorch's names, where <sluice/ops.h> has no such (it has mse_loss,
// l1_loss, smooth_l1_loss, huber_loss and nll_loss). Small is good. In graphs,
// in recorded functions and imperatively.
//
// Reductions: none, one number per element or row; sum; mean.
#pragma once

#include <source_location>
#include <string>

#include "sluice/eager/tensor.h"

namespace sluice {

// Of the softmax of logits [batch, classes, ...], given classes (i32 or i64,
// [batch, ...]) or probabilities (shape and type of the logits). One sample may
// come without a batch: logits [classes].
struct CrossEntropyOptions {
  Tensor weight{};  // one number per class
  // The label of what is left out, also of the mean.
  int64_t ignore_index = -100;
  std::string reduction = "mean";
  double label_smoothing = 0;  // this share goes to all classes evenly
};
Tensor cross_entropy(
    const Tensor& logits, const Tensor& labels,
    const CrossEntropyOptions& options = {},
    std::source_location where = std::source_location::current());

// The negative of the logarithms [batch, classes, ...] that labels name, times
// one number per class; the mean is over these. Without a weight: the op.
struct WeightedNllOptions {
  Tensor weight{};
  int64_t ignore_index = -100;
  std::string reduction = "mean";
};
Tensor weighted_nll_loss(
    const Tensor& logs, const Tensor& labels, const WeightedNllOptions& options,
    std::source_location where = std::source_location::current());

// Of probabilities x; of the sigmoid of x. Weights broadcast.
struct BinaryCrossEntropyOptions {
  Tensor weight{};
  std::string reduction = "mean";
};
Tensor binary_cross_entropy(
    const Tensor& x, const Tensor& target,
    const BinaryCrossEntropyOptions& options = {},
    std::source_location where = std::source_location::current());
struct BinaryCrossEntropyWithLogitsOptions {
  Tensor weight{};
  Tensor pos_weight{};  // of what targets of 1 cost
  std::string reduction = "mean";
};
Tensor binary_cross_entropy_with_logits(
    const Tensor& x, const Tensor& target,
    const BinaryCrossEntropyWithLogitsOptions& options = {},
    std::source_location where = std::source_location::current());

// The divergence of target from the distribution whose logarithm is x.
struct KlDivOptions {
  std::string reduction = "mean";  // also batchmean: the sum over the batch
  bool log_target = false;         // target is a logarithm as well
};
Tensor kl_div(const Tensor& x, const Tensor& target,
              const KlDivOptions& options = {},
              std::source_location where = std::source_location::current());

struct MarginOptions {
  double margin = 0;
  std::string reduction = "mean";
};
// max(0, margin - target (x1 - x2)), for targets of 1 and -1.
Tensor margin_ranking_loss(
    const Tensor& x1, const Tensor& x2, const Tensor& target,
    const MarginOptions& options = {},
    std::source_location where = std::source_location::current());
// 1 - cos(x1, x2) for targets of 1, max(0, cos(x1, x2) - margin) for -1.
Tensor cosine_embedding_loss(
    const Tensor& x1, const Tensor& x2, const Tensor& target,
    const MarginOptions& options = {},
    std::source_location where = std::source_location::current());
// x for targets of 1, max(0, margin - x) for -1.
Tensor hinge_embedding_loss(
    const Tensor& x, const Tensor& target,
    const MarginOptions& options = {.margin = 1},
    std::source_location where = std::source_location::current());
// max(0, |anchor - positive| - |anchor - negative| + margin) along the last
// axis, with lengths as pairwise_distance has them.
struct TripletMarginOptions {
  double margin = 1;
  double p = 2;  // the order of the length
  double eps = 1e-6;
  // The negative's distance is the smaller of those to the anchor and to the
  // positive.
  bool swap = false;
  std::string reduction = "mean";
};
Tensor triplet_margin_loss(
    const Tensor& anchor, const Tensor& positive, const Tensor& negative,
    const TripletMarginOptions& options = {},
    std::source_location where = std::source_location::current());

}  // namespace sluice
