// Losses by margins and likelihoods beside plain loops, imperatively and in
// recorded functions.
#include "sluice/nn/margin_loss.h"

#include <gtest/gtest.h>
#include <sluice/sluice.h>

#include <cmath>
#include <numbers>

#include "sluice/front/front_test_util.h"
#include "sluice/nn/known_values_test_util.h"

namespace sluice::nn {
namespace {

using Floats = std::vector<float>;

// Of x alone, whatever else it has.
using LossOf = std::function<Tensor(const Tensor&)>;

void ExpectLoss(const Tensor& x, const LossOf& loss,
                const std::vector<double>& wanted) {
  for (const Tensor& y :
       {loss(x), function([&](Tensor t) { return loss(t); })(x)}) {
    Floats got = y.to_vector<float>();
    ASSERT_EQ(got.size(), wanted.size());
    for (size_t i = 0; i < got.size(); ++i) {
      EXPECT_NEAR(got[i], wanted[i], 1e-5) << i;
    }
  }
}

double SoftPlus(double x) { return std::log1p(std::exp(x)); }

TEST(MarginLosses, OfOneClassForEachSample) {
  Tensor x = constant({{0.5f, 0.f, 1.f}, {0.f, 2.f, 0.5f}});
  Tensor labels = constant({0, 1}, DType::kI64);
  Tensor weight = constant({2.f, 3.f, 1.f});
  auto loss = [&](const MultiMarginOptions& options) {
    return [&, options](const Tensor& t) {
      return multi_margin_loss(t, labels, options);
    };
  };
  ExpectLoss(x, loss({.reduction = "none"}), {(0.5 + 1.5) / 3, 0});
  ExpectLoss(x, loss({.p = 2, .margin = 2, .reduction = "none"}),
             {(1.5 * 1.5 + 2.5 * 2.5) / 3, 0.5 * 0.5 / 3});
  ExpectLoss(x, loss({.weight = weight, .reduction = "sum"}), {2 * 2.0 / 3});
  Tensor alone = multi_margin_loss(x[0], constant(0), {.reduction = "none"});
  EXPECT_EQ(alone.rank(), 0);
  EXPECT_NEAR(alone.item<float>(), 2.0 / 3, 1e-6);
  Contains(ErrorOf([&] { multi_margin_loss(x, constant({0, 3})); }),
           "multi_margin_loss: a label is out of range; wanted them from 0 to "
           "2");
  Contains(ErrorOf([&] { multi_margin_loss(x, labels, {.p = 3}); }),
           "p is 3; wanted 1 or 2");
}

TEST(MarginLosses, OfSeveralClassesForEachSample) {
  Tensor x = constant({{0.1f, 0.2f, 0.4f, 0.8f}, {0.f, 0.f, 0.f, 0.f}});
  // What stands behind the first -1 does not count.
  Tensor labels = constant({{3, 0, -1, 1}, {-1, 2, 2, 2}}, DType::kI64);
  double first = (1 - (0.1 - 0.2)) + (1 - (0.1 - 0.4)) + (1 - (0.8 - 0.2)) +
                 (1 - (0.8 - 0.4));
  ExpectLoss(x,
             [&](const Tensor& t) {
               return multilabel_margin_loss(t, labels, {.reduction = "none"});
             },
             {first / 4, 0});
  EXPECT_EQ(
      multilabel_margin_loss(x[0], labels[0], {.reduction = "none"}).rank(), 0);
}

TEST(MarginLosses, Soft) {
  Tensor x = constant({0.5f, -1.f});
  Tensor sides = constant({1.f, -1.f}), ones_and_zeros = constant({1.f, 0.f});
  ExpectLoss(x,
             [&](const Tensor& t) {
               return soft_margin_loss(t, sides, {.reduction = "none"});
             },
             {SoftPlus(-0.5), SoftPlus(-1)});
  double both = (SoftPlus(-0.5) + SoftPlus(-1)) / 2;
  ExpectLoss(x,
             [&](const Tensor& t) {
               return multilabel_soft_margin_loss(t, ones_and_zeros);
             },
             {both});
}

TEST(MarginLosses, OfLikelihoods) {
  Tensor x = constant({0.5f, 1.f}), counts = constant({0.f, 3.f});
  ExpectLoss(x,
             [&](const Tensor& t) {
               return poisson_nll_loss(t, counts, {.reduction = "none"});
             },
             {std::exp(0.5), std::exp(1.0) - 3});
  double stirling =
      3 * std::log(3.0) - 3 + 0.5 * std::log(2 * std::numbers::pi * 3);
  ExpectLoss(
      x,
      [&](const Tensor& t) {
        return poisson_nll_loss(
            t, counts,
            {.log_input = false, .full = true, .eps = 0, .reduction = "none"});
      },
      {0.5, 1 + stirling});
  Tensor variance = constant({4.f, 0.f}), zero = constant({0.f, 0.f});
  double constant_part = 0.5 * std::log(2 * std::numbers::pi);
  ExpectLoss(x,
             [&](const Tensor& t) {
               return gaussian_nll_loss(
                   t, zero, variance,
                   {.full = true, .eps = 0.25, .reduction = "none"});
             },
             {0.5 * (std::log(4.0) + 0.25 / 4) + constant_part,
              0.5 * (std::log(0.25) + 1 / 0.25) + constant_part});
  Tensor wrong = constant({1.f, -1.f});
  Contains(ErrorOf([&] { gaussian_nll_loss(x, zero, wrong); }),
           "var has a negative number");
  auto recorded =
      function([&](Tensor v) { return gaussian_nll_loss(x, zero, v); });
  Contains(ErrorOf([&] { recorded(wrong).item<float>(); }),
           "var has a negative number");
}

TEST(MarginLosses, OfTripletsByADistanceOfTheUser) {
  Tensor a = constant({{0.f, 0.f}}), p = constant({{3.f, 4.f}}),
         n = constant({{3.f, 5.f}});
  auto taxi = [](const Tensor& u, const Tensor& v) {
    return sum(abs(u - v), {.axes = {-1}});
  };
  auto loss = [&](bool swap) {
    return triplet_margin_with_distance_loss(
               a, p, n, {.distance = taxi, .margin = 2, .swap = swap})
        .item<float>();
  };
  EXPECT_NEAR(loss(false), 7 - 8 + 2, 1e-6);
  EXPECT_NEAR(loss(true), 7 - 1 + 2, 1e-6);
  EXPECT_EQ(triplet_margin_with_distance_loss(a, p, n).item<float>(),
            triplet_margin_loss(a, p, n).item<float>());
}

}  // namespace
}  // namespace sluice::nn
