// Losses compute what PyTorch's do.
#include <gtest/gtest.h>
#include <sluice/sluice.h>

#include <cmath>

#include "sluice/front/front_test_util.h"
#include "sluice/nn/known_values_test_util.h"

namespace sluice::nn {
namespace {

using Floats = std::vector<float>;

void CheckLoss(const std::string& name, const std::vector<Tensor>& xs,
               const TensorFn& loss) {
  const KnownValues& known = KnownValuesOf(name);
  for (const Tensor& x : xs) x.requires_grad_();
  Tensor y = loss(xs)[0];
  Floats got = y.to_vector<float>();
  for (size_t i = 0; i < known.first.size(); ++i) {
    EXPECT_NEAR(got[i], known.first[i], 1e-5) << name;
  }
  sum(y * KnownInput(y.shape().ToShape(), 3)).backward();
  for (size_t i = 0; i < xs.size(); ++i) {
    EXPECT_NEAR(WeightedSum(xs[i].grad()), known.gradients[i], 2e-5) << name;
  }
  Tensor again = function([&](Tensor a) {
    std::vector<Tensor> inside = xs;
    inside[0] = a;
    return loss(inside);
  })(xs[0])[0];
  for (size_t i = 0; i < known.first.size(); ++i) {
    EXPECT_NEAR(again.to_vector<float>()[i], known.first[i], 1e-5) << name;
  }
}

TEST(Losses, CrossEntropy) {
  Tensor labels = constant({0, 2, -100, 1}, DType::kI64);
  Tensor deep_labels = constant({{0, 2}, {1, -100}}, DType::kI64);
  Tensor weight = constant({0.5f, 1.f, 2.f});
  Tensor chances = softmax(KnownInput({4, 3}, 5));
  auto check = [&](const std::string& name, const Tensor& x,
                   const Tensor& target, const CrossEntropyOptions& options) {
    CheckLoss(name, {x}, [&](const std::vector<Tensor>& in) {
      return std::vector{cross_entropy(in[0], target, options)};
    });
  };
  auto x = [] { return KnownInput({4, 3}); };
  auto deep = [] { return KnownInput({2, 3, 2}, 1); };
  check("cross_entropy", x(), labels, {});
  check("cross_entropy", x(), cast(labels, DType::kI32), {});
  check("cross_entropy_sum", x(), labels, {.reduction = "sum"});
  check("cross_entropy_none", x(), labels, {.reduction = "none"});
  check("cross_entropy_weight", x(), labels, {.weight = weight});
  check("cross_entropy_deep", deep(), deep_labels, {});
  check("cross_entropy_prob", x(), chances, {});
  check("cross_entropy_smooth", x(), labels, {.label_smoothing = 0.1});
  check("cross_entropy_both", x(), labels,
        {.weight = weight, .label_smoothing = 0.1});
  check("cross_entropy_deep_both", deep(), deep_labels,
        {.weight = weight, .label_smoothing = 0.2});
  check("cross_entropy_prob_both", x(), chances,
        {.weight = weight, .label_smoothing = 0.2});
  CrossEntropyLoss module({.reduction = "sum"});
  EXPECT_NEAR(module(x(), labels).item<float>(),
              KnownValuesOf("cross_entropy_sum").first[0], 1e-5);
}

TEST(Losses, OfOneSampleWithoutABatch) {
  Tensor logits = constant({0.5f, -1.0f, 2.0f}), label = constant(2);
  Tensor weight = constant({1.0f, 2.0f, 0.5f});
  for (const char* reduction : {"mean", "none"}) {
    Tensor alone = cross_entropy(logits, label, {.reduction = reduction});
    EXPECT_EQ(alone.rank(), 0);
    EXPECT_EQ(alone.item<float>(),
              cross_entropy(expand_dims(logits, 0), expand_dims(label, 0))
                  .item<float>());
    // One label's weight is all weights: the mean is without it.
    Tensor nll = weighted_nll_loss(logits, label,
                                   {.weight = weight, .reduction = reduction});
    EXPECT_EQ(nll.rank(), 0);
    bool mean = std::string_view(reduction) == "mean";
    EXPECT_EQ(nll.item<float>(), mean ? -2.0f : -1.0f);
  }
}

TEST(Losses, CrossEntropyRefuses) {
  Tensor x = ones({2, 3});
  Contains(ErrorOf([&] { cross_entropy(x, constant({0, 3})); }), "3");
  Contains(ErrorOf([&] { cross_entropy(ones(Sizes{}), constant(0)); }),
           "logits are f32[]; wanted [batch, classes, ...]");
  Contains(ErrorOf([&] {
             cross_entropy(x, constant({0, 1}), {.label_smoothing = 2});
           }),
           "label_smoothing is 2");
  Contains(ErrorOf([&] {
             cross_entropy(x, constant({0, 1}), {.reduction = "avg"});
           }),
           "reduction is \"avg\"; wanted none, mean or sum");
  CrossEntropyLoss loss;
  Contains(ErrorOf([&] { loss(ones({3}), constant({0})); }),
           "in CrossEntropyLoss()");
}

TEST(Losses, OfPairs) {
  using Tensors = std::vector<Tensor>;
  Tensor target = constant(
      {{0.f, 1.f, 1.f}, {1.f, 0.f, 1.f}, {0.f, 0.f, 1.f}, {1.f, 1.f, 0.f}});
  Tensor weight = constant({0.5f, 1.f, 2.f});
  Tensor chances = softmax(KnownInput({4, 3}, 5));
  auto x = [](int k = 0) { return KnownInput({4, 3}, k); };
  CheckLoss("binary_cross_entropy", {x()}, [&](const Tensors& in) {
    return Tensors{binary_cross_entropy(sigmoid(in[0]), target)};
  });
  CheckLoss("binary_cross_entropy_weight", {x()}, [&](const Tensors& in) {
    return Tensors{
        binary_cross_entropy(sigmoid(in[0]), target, {.weight = weight})};
  });
  CheckLoss("binary_cross_entropy_with_logits", {x()}, [&](const Tensors& in) {
    return Tensors{binary_cross_entropy_with_logits(in[0], target)};
  });
  CheckLoss("binary_cross_entropy_with_logits_both", {x()},
            [&](const Tensors& in) {
              return Tensors{binary_cross_entropy_with_logits(
                  in[0], target, {.weight = weight, .pos_weight = weight + 1})};
            });
  CheckLoss("kl_div", {x()}, [&](const Tensors& in) {
    return Tensors{
        kl_div(log_softmax(in[0]), chances, {.reduction = "batchmean"})};
  });
  CheckLoss("kl_div_log", {x()}, [&](const Tensors& in) {
    return Tensors{kl_div(log_softmax(in[0]), log(chances),
                          {.reduction = "batchmean", .log_target = true})};
  });
  Tensor sides = constant({1.f, -1.f, 1.f, -1.f});
  CheckLoss("margin_ranking_loss", {KnownInput({4}), KnownInput({4}, 1)},
            [&](const Tensors& in) {
              return Tensors{
                  margin_ranking_loss(in[0], in[1], sides, {.margin = 0.3})};
            });
  CheckLoss("cosine_embedding_loss", {x(), x(1)}, [&](const Tensors& in) {
    return Tensors{
        cosine_embedding_loss(in[0], in[1], sides, {.margin = -0.5})};
  });
  CheckLoss("hinge_embedding_loss", {KnownInput({4})}, [&](const Tensors& in) {
    return Tensors{hinge_embedding_loss(in[0], sides)};
  });
  CheckLoss("triplet_margin_loss", {x(), x(1), x(2)}, [&](const Tensors& in) {
    return Tensors{triplet_margin_loss(in[0], in[1], in[2])};
  });
}

TEST(Losses, AsModules) {
  Tensor x = constant({{0.2f, 0.8f}, {0.5f, 0.5f}}), zero = zeros({2, 2});
  EXPECT_NEAR(MSELoss()(x, zero).item<float>(), (0.04 + 0.64 + 0.5) / 4, 1e-6);
  EXPECT_NEAR(L1Loss({.reduction = "sum"})(x, zero).item<float>(), 2, 1e-6);
  EXPECT_NEAR(HuberLoss({.delta = 0.5})(x, zero).item<float>(),
              (0.02 + 0.5 * (0.8 - 0.25) + 0.125 * 2) / 4, 1e-6);
  EXPECT_NEAR(SmoothL1Loss({.beta = 0.5})(x, zero).item<float>(),
              (0.04 + (0.8 - 0.25) + 0.25 * 2) / 4, 1e-6);
  EXPECT_NEAR(BCELoss()(x, zero).item<float>(),
              -(std::log(0.8) + std::log(0.2) + 2 * std::log(0.5)) / 4, 1e-6);
  EXPECT_NEAR(BCEWithLogitsLoss()(zero, zero).item<float>(), std::log(2.0),
              1e-6);
  EXPECT_NEAR(NLLLoss()(x, constant({1, 0})).item<float>(), -0.65, 1e-6);
  EXPECT_NEAR(KLDivLoss({.reduction = "sum"})(log(x), x).item<float>(), 0,
              1e-6);
}

TEST(Losses, OfPairsAndTripletsAsModules) {
  Tensor a = KnownInput({4, 3}), b = KnownInput({4, 3}, 1),
         c = KnownInput({4, 3}, 2);
  Tensor sides = constant({1.f, -1.f, 1.f, -1.f});
  auto same = [](const Tensor& got, const Tensor& wanted) {
    EXPECT_EQ(got.to_vector<float>(), wanted.to_vector<float>());
  };
  Tensor x = KnownInput({4}), y = KnownInput({4}, 1);
  same(HingeEmbeddingLoss()(x, sides), hinge_embedding_loss(x, sides));
  same(HingeEmbeddingLoss({.margin = 2})(x, sides),
       hinge_embedding_loss(x, sides, {.margin = 2}));
  same(MarginRankingLoss({.margin = 0.3})(x, y, sides),
       margin_ranking_loss(x, y, sides, {.margin = 0.3}));
  same(CosineEmbeddingLoss({.margin = -0.5})(a, b, sides),
       cosine_embedding_loss(a, b, sides, {.margin = -0.5}));
  same(TripletMarginLoss({.reduction = "none"})(a, b, c),
       triplet_margin_loss(a, b, c, {.reduction = "none"}));
  Contains(ErrorOf([&] { TripletMarginLoss()(a, ones({7}), c); }),
           "in TripletMarginLoss()");
}

TEST(Losses, TripletsByOtherLengthsAndSwapped) {
  Tensor a = constant({{0.f, 0.f}}), p = constant({{3.f, 4.f}}),
         n = constant({{3.f, 5.f}});
  auto loss = [&](const TripletMarginOptions& options) {
    return triplet_margin_loss(a, p, n, options).item<float>();
  };
  EXPECT_NEAR(loss({.p = 1, .eps = 0}), 7 - 8 + 1, 1e-5);
  EXPECT_NEAR(loss({.margin = 3, .p = 1, .eps = 0}), 7 - 8 + 3, 1e-5);
  // The negative is 1 away from the positive.
  EXPECT_NEAR(loss({.p = 1, .eps = 0, .swap = true}), 7 - 1 + 1, 1e-5);
  EXPECT_NEAR(loss({.eps = 0, .swap = true}), 5 - 1 + 1, 1e-5);
}

}  // namespace
}  // namespace sluice::nn
