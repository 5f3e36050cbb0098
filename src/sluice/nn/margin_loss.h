// Losses by margins and likelihoods, by PyTorch's names, made of ops. Small is
// good. In graphs, in recorded functions and imperatively.
//
// Reductions: none, one number per element or sample; sum; mean.
#pragma once

#include <functional>
#include <source_location>
#include <string>

#include "sluice/eager/operand.h"
#include "sluice/eager/tensor.h"

namespace sluice {

struct SoftMarginOptions {
  std::string reduction = "mean";
};
// log(1 + exp(-target x)), for targets of 1 and -1.
Tensor soft_margin_loss(
    const Tensor& x, const Tensor& target,
    const SoftMarginOptions& options = {},
    std::source_location where = std::source_location::current());

// The mean over classes (last axis) of the cross-entropy of each by itself.
struct MultilabelSoftMarginOptions {
  Tensor weight{};  // one number per class
  std::string reduction = "mean";
};
Tensor multilabel_soft_margin_loss(
    const Tensor& x, const Tensor& target,
    const MultilabelSoftMarginOptions& options = {},
    std::source_location where = std::source_location::current());

// By how much other classes come within a margin of the right one, to the p: of
// x [batch, classes] and labels [batch], or of one sample.
struct MultiMarginOptions {
  int p = 1;  // or 2
  double margin = 1;
  Tensor weight{};  // one number per class
  std::string reduction = "mean";
};
Tensor multi_margin_loss(
    const Tensor& x, const Tensor& labels,
    const MultiMarginOptions& options = {},
    std::source_location where = std::source_location::current());

// By how much classes that are not named come within 1 of those that are.
// Labels are rows of class numbers, up to the first -1.
struct MultilabelMarginOptions {
  std::string reduction = "mean";
};
Tensor multilabel_margin_loss(
    const Tensor& x, const Tensor& labels,
    const MultilabelMarginOptions& options = {},
    std::source_location where = std::source_location::current());

// The negative log-likelihood of counts.
struct PoissonNllOptions {
  bool log_input = true;  // x is the logarithm of the rate
  bool full = false;      // with log(target!), as Stirling has it
  Operand eps = 1e-8;     // added to a rate before its logarithm
  std::string reduction = "mean";
};
Tensor poisson_nll_loss(
    const Tensor& x, const Tensor& target,
    const PoissonNllOptions& options = {},
    std::source_location where = std::source_location::current());

// The negative log-likelihood of normal numbers of the mean x and a variance,
// which broadcasts and is nowhere negative. Variances below eps count as eps,
// with the gradient they would have had.
struct GaussianNllOptions {
  bool full = false;  // with the constant
  double eps = 1e-6;
  std::string reduction = "mean";
};
Tensor gaussian_nll_loss(
    const Tensor& x, const Tensor& target, const Tensor& variance,
    const GaussianNllOptions& options = {},
    std::source_location where = std::source_location::current());

// max(0, near - far + margin): of the distance of an anchor from what is like
// it, and of that from what is not.
struct DistanceMarginOptions {
  double margin = 1;
  std::string reduction = "mean";
};
Tensor margin_of_distances_loss(
    const Tensor& near, const Tensor& far,
    const DistanceMarginOptions& options = {},
    std::source_location where = std::source_location::current());

// The same of three tensors and a distance; by default pairwise_distance.
struct TripletMarginWithDistanceOptions {
  std::function<Tensor(const Tensor&, const Tensor&)> distance{};
  double margin = 1;
  // As with triplet_margin_loss.
  bool swap = false;
  std::string reduction = "mean";
};
Tensor triplet_margin_with_distance_loss(
    const Tensor& anchor, const Tensor& positive, const Tensor& negative,
    const TripletMarginWithDistanceOptions& options = {},
    std::source_location where = std::source_location::current());

}  // namespace sluice
