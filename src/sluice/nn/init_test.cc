#include <gtest/gtest.h>
#include <sluice/sluice.h>

#include <cmath>

#include "sluice/front/front_test_util.h"

namespace sluice::nn {
namespace {

struct Moments {
  double mean = 0, std = 0, least = 1e9, most = -1e9;
};

Moments Of(const Tensor& t) {
  Moments m;
  std::vector<float> all = t.to_vector<float>();
  for (double v : all) {
    m.mean += v / double(all.size());
    m.least = std::min(m.least, v);
    m.most = std::max(m.most, v);
  }
  for (double v : all) m.std += (v - m.mean) * (v - m.mean);
  m.std = std::sqrt(m.std / double(all.size()));
  return m;
}

TEST(Init, HasTheDistributionsItSays) {
  manual_seed(7);
  Tensor t = zeros({200, 30, 2, 5});  // fan in 300, fan out 2000
  t.requires_grad_();
  init::uniform_(t, -3, 1);
  Moments m = Of(t);
  EXPECT_NEAR(m.least, -3, 0.01);
  EXPECT_NEAR(m.most, 1, 0.01);
  EXPECT_NEAR(m.mean, -1, 0.02);
  EXPECT_TRUE(t.is_leaf());
  EXPECT_TRUE(t.requires_grad());
  init::normal_(t, 2, 0.5);
  m = Of(t);
  EXPECT_NEAR(m.mean, 2, 0.01);
  EXPECT_NEAR(m.std, 0.5, 0.01);
  init::xavier_uniform_(t, 2);
  EXPECT_NEAR(Of(t).most, 2 * std::sqrt(6.0 / 2300), 1e-3);
  init::xavier_normal_(t);
  EXPECT_NEAR(Of(t).std, std::sqrt(2.0 / 2300), 1e-3);
  init::kaiming_uniform_(t, {.nonlinearity = "relu"});
  EXPECT_NEAR(Of(t).most, std::sqrt(6.0 / 300), 1e-3);
  init::kaiming_normal_(t, {.fan_out = true, .nonlinearity = "relu"});
  EXPECT_NEAR(Of(t).std, std::sqrt(2.0 / 2000), 1e-3);
  init::kaiming_uniform_(t, {.a = std::sqrt(5.0)});
  EXPECT_NEAR(Of(t).most, 1 / std::sqrt(300.0), 1e-3);
  init::constant_(t, 0.25);
  EXPECT_EQ(Of(t).least, 0.25);
  EXPECT_EQ(Of(t).most, 0.25);
  init::ones_(t);
  EXPECT_EQ(Of(t).least, 1);
  init::zeros_(t);
  EXPECT_EQ(Of(t).most, 0);
}

// Once they were two deviations from the mean, whatever it was.
TEST(Init, BoundsOfATruncatedNormalAreNumbersNotDeviations) {
  manual_seed(7);
  Tensor t = zeros({300, 200});
  init::trunc_normal_(t, 0, 0.02);
  Moments m = Of(t);
  EXPECT_NEAR(m.std, 0.02, 0.0003);
  EXPECT_GT(m.most, 0.06);
  init::trunc_normal_(t, 1, 1, 0.5, 5);
  m = Of(t);
  EXPECT_GE(m.least, 0.5);
  EXPECT_LT(m.least, 0.51);
  EXPECT_GT(m.most, 4);
  EXPECT_NEAR(m.mean, 1.5091, 0.01);
  init::trunc_normal_(t);
  m = Of(t);
  EXPECT_GE(m.least, -2);
  EXPECT_LE(m.most, 2);
  EXPECT_NEAR(m.std, 0.8796, 0.01);
}

TEST(Init, OrthogonalRowsOrColumns) {
  for (auto [rows, columns] : {std::pair{3, 8}, {8, 3}, {5, 5}}) {
    Tensor t = zeros({rows, columns / 1, 1});
    init::orthogonal_(t, 2);
    Tensor w = reshape(t, {rows, columns});
    bool wide = rows <= columns;
    Tensor product = matmul(w, w, {.transpose_a = !wide, .transpose_b = wide});
    int64_t n = std::min(rows, columns);
    Tensor difference = product - eye(n) * 4;
    for (float d : difference.to_vector<float>()) EXPECT_NEAR(d, 0, 1e-5);
  }
}

TEST(Init, Refuses) {
  Tensor t = zeros({3});
  Contains(ErrorOf([&] { init::uniform_(t, 2, 1); }),
           "uniform_: low is 2, high is 1; wanted low <= high");
  Contains(ErrorOf([&] { init::normal_(t, 0, -1); }), "std is -1");
  Contains(ErrorOf([&] { init::xavier_uniform_(t); }),
           "the weight is [3]; wanted two axes or more");
  Contains(ErrorOf([&] { init::orthogonal_(t); }), "wanted two axes or more");
  Contains(ErrorOf([&] {
             init::kaiming_normal_(zeros({2, 2}), {.nonlinearity = "sine"});
           }),
           "nonlinearity is \"sine\"");
}

}  // namespace
}  // namespace sluice::nn
