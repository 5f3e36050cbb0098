// Functions of layers that PyTorch has and ops have not, beside plain loops.
#include "sluice/nn/functional.h"

#include <gtest/gtest.h>
#include <sluice/sluice.h>

#include <cmath>

#include "sluice/front/front_test_util.h"
#include "sluice/nn/inverse_erf.h"
#include "sluice/nn/known_values_test_util.h"

namespace sluice::nn {
namespace {

using Floats = std::vector<float>;

TEST(Functional, AlphaDropoutKeepsMeanAndVariance) {
  Tensor x = constant({1.f, -2.f, 3.f});
  const double floor = -1.7580993408473766, p = 0.25;
  double scale = std::pow((floor * floor * p + 1) * (1 - p), -0.5);
  Tensor drawn = constant({0.1f, 0.9f, 0.7f});  // the second is set aside
  Floats got = alpha_dropout(x, {.p = p, .training = true, .drawn = drawn})
                   .to_vector<float>();
  const double kept[] = {1, floor, 3};
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(got[i], (kept[i] - floor * p) * scale, 1e-5);
  }
  EXPECT_EQ(alpha_dropout(x).to_vector<float>(), x.to_vector<float>());
  manual_seed(3);
  Tensor rows = feature_alpha_dropout(ones({8, 4, 5}), {.training = true});
  Floats all = rows.to_vector<float>();
  for (size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], all[i / 5 * 5]);
  Contains(ErrorOf([&] { alpha_dropout(x, {.p = 2}); }),
           "alpha_dropout: p is 2; wanted 0 <= p <= 1");
  Contains(ErrorOf([&] { feature_alpha_dropout(x, {.training = true}); }),
           "wanted [batch, channels, ...]");
}

TEST(Functional, RreluDrawsSlopesInTraining) {
  Tensor x = constant({-1.f, 2.f, -4.f});
  EXPECT_EQ(rrelu(x, {.lower = 0.25, .upper = 0.75}).to_vector<float>(),
            (Floats{-0.5, 2, -2}));
  Tensor drawn = constant({0.f, 0.f, 0.5f});
  Tensor y = rrelu(
      x, {.lower = 0.25, .upper = 0.75, .training = true, .drawn = drawn});
  EXPECT_EQ(y.to_vector<float>(), (Floats{-0.25, 2, -2}));
  manual_seed(1);
  Tensor many =
      rrelu(-ones({1000}), {.lower = 0.2, .upper = 0.4, .training = true});
  EXPECT_GE(min(many).item<float>(), -0.4f);
  EXPECT_LE(max(many).item<float>(), -0.2f);
  EXPECT_LT(min(many).item<float>(), -0.38f);
  Contains(ErrorOf([&] { rrelu(x, {.lower = 1, .upper = 0}); }),
           "wanted 0 <= lower <= upper");
}

TEST(Functional, LocalResponseNorm) {
  for (int64_t size : {1, 2, 3, 6}) {
    Tensor x = KnownInput({2, 4, 3});
    auto norm = [&](Tensor t) {
      return local_response_norm(t, size, {.alpha = 0.5, .beta = 0.7, .k = 2});
    };
    Floats in = x.to_vector<float>(), now = norm(x).to_vector<float>();
    EXPECT_EQ(function(norm)(x).to_vector<float>(), now);
    for (int64_t n = 0; n < 2; ++n) {
      for (int64_t c = 0; c < 4; ++c) {
        for (int64_t i = 0; i < 3; ++i) {
          double squares = 0;
          for (int64_t d = c - size / 2; d <= c + (size - 1) / 2; ++d) {
            if (d < 0 || d >= 4) continue;
            double v = in[static_cast<size_t>((n * 4 + d) * 3 + i)];
            squares += v * v;
          }
          auto at = static_cast<size_t>((n * 4 + c) * 3 + i);
          double wanted =
              in[at] / std::pow(2 + squares * 0.5 / double(size), 0.7);
          EXPECT_NEAR(now[at], wanted, 1e-5) << size;
        }
      }
    }
  }
  Contains(ErrorOf([] { local_response_norm(ones({2, 2}), 3); }),
           "wanted [batch, channels, ...]");
}

TEST(Functional, ChannelsInGroupsOneOfEachInTurn) {
  Tensor x = reshape(range(0.f, 12.f, 1.f), {1, 6, 2});
  Floats wanted{0, 1, 4, 5, 8, 9, 2, 3, 6, 7, 10, 11};
  EXPECT_EQ(channel_shuffle(x, 3).to_vector<float>(), wanted);
  auto recorded = function([](Tensor t) { return channel_shuffle(t, 3); });
  EXPECT_EQ(recorded(x).to_vector<float>(), wanted);
  Contains(ErrorOf([&] { channel_shuffle(x, 4); }),
           "of channels that groups divide");
}

TEST(Functional, PoolsByTheNormOfTheirWindows) {
  Tensor x = abs(KnownInput({2, 3, 4, 4}));
  Floats in = x.to_vector<float>();
  Floats out = lp_pool(2, x, 3, 2).to_vector<float>();
  ASSERT_EQ(out.size(), 2u * 3 * 2 * 2);
  for (size_t i = 0; i < out.size(); ++i) {
    size_t image = i / 4, row = i / 2 % 2 * 2, column = i % 2 * 2;
    double sum = 0;
    for (size_t k : {0u, 1u, 4u, 5u}) {
      sum += std::pow(in[image * 16 + row * 4 + column + k], 3);
    }
    EXPECT_NEAR(out[i], std::cbrt(sum), 1e-5);
  }
  Contains(ErrorOf([&] { lp_pool(4, x, 2, 2); }), "axes is 4; wanted 1, 2");
}

TEST(Functional, InverseOfTheErrorFunction) {
  for (double y : {-3.0, -0.5, -1e-9, 0.0, 1e-4, 0.25, 1.0, 4.0}) {
    Tensor x = constant(Array::Scalar(std::erf(y)));
    EXPECT_NEAR(InverseErf(x).item<double>(), y, 1e-8 * (1 + std::abs(y)));
  }
  EXPECT_EQ(InverseErf(constant(1.f)).item<float>(), HUGE_VALF);
  EXPECT_EQ(InverseErf(constant(-1.f)).item<float>(), -HUGE_VALF);
  EXPECT_TRUE(std::isnan(InverseErf(constant(1.5f)).item<float>()));
  // Far out, where erf is 1 and erfc is exact.
  for (double y : {2.0, 6.0, 20.0}) {
    Tensor q = constant(Array::Scalar(std::erfc(y))),
           x = constant(Array::Scalar(std::erf(y)));
    EXPECT_NEAR(InverseErfc(q, x).item<double>(), y, 1e-10 * y);
  }
}

}  // namespace
}  // namespace sluice::nn
