// examples/loops/tree.h: the same as a plain recursion, with gradients, in the
// graph as at once; and it learns.
#include "examples/loops/tree.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sluice::loops {
namespace {

double Sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// The network in plain C++.
class Plain {
 public:
  Plain(const std::vector<Tensor>& weights, const Tree& tree)
      : symbols_(tree.symbols.to_vector<int64_t>()),
        left_(tree.left.to_vector<int64_t>()),
        right_(tree.right.to_vector<int64_t>()),
        truth_(tree.truth.to_vector<float>()),
        hidden_(static_cast<size_t>(weights[2].dim(0))) {
    for (const Tensor& w : weights) weights_.push_back(w.to_vector<double>());
  }

  struct State {
    std::vector<double> output, memory;
  };
  double loss = 0;

  State Visit(int64_t node) {
    State none{std::vector<double>(hidden_), std::vector<double>(hidden_)};
    if (node < 0) return none;
    auto n = static_cast<size_t>(node);
    State a = Visit(left_[n]), b = Visit(right_[n]), out = none;
    const size_t h = hidden_;
    const double* own = &weights_[0][static_cast<size_t>(symbols_[n]) * 4 * h];
    for (size_t j = 0; j < h; ++j) {
      double gate[3], forget_a = own[3 * h + j], forget_b = forget_a;
      for (size_t g = 0; g < 3; ++g) {
        gate[g] = own[g * h + j];
        for (size_t k = 0; k < h; ++k) {
          gate[g] +=
              (a.output[k] + b.output[k]) * weights_[1][k * 3 * h + g * h + j];
        }
      }
      for (size_t k = 0; k < h; ++k) {
        forget_a += a.output[k] * weights_[2][k * h + j];
        forget_b += b.output[k] * weights_[2][k * h + j];
      }
      out.memory[j] = Sigmoid(gate[0]) * std::tanh(gate[2]) +
                      Sigmoid(forget_a) * a.memory[j] +
                      Sigmoid(forget_b) * b.memory[j];
      out.output[j] = Sigmoid(gate[1]) * std::tanh(out.memory[j]);
    }
    double right = Sigmoid(Logit(out));
    loss -= std::log(truth_[n] > 0 ? right : 1 - right);
    return out;
  }

  double Logit(const State& state) const {
    double logit = weights_[4][0];
    for (size_t j = 0; j < hidden_; ++j) {
      logit += state.output[j] * weights_[3][j];
    }
    return logit;
  }
  double MeanLoss() const {
    return loss / static_cast<double>(symbols_.size());
  }

 private:
  std::vector<int64_t> symbols_, left_, right_;
  std::vector<float> truth_;
  size_t hidden_;
  std::vector<std::vector<double>> weights_;
};

TEST(Tree, ExpressionsAreWorthWhatTheySay) {
  // not (true and (false or true))
  std::vector<int64_t> symbols = {kNot, kAnd, kTrue, kOr, kFalse, kTrue};
  std::vector<int64_t> left = {1, 2, -1, 4, -1, -1};
  std::vector<int64_t> right = {-1, 3, -1, 5, -1, -1};
  EXPECT_FALSE(truth_of(symbols, left, right));
  EXPECT_TRUE(truth_of(symbols, left, right, 1));
  // Those that are drawn are of many sizes, and mixed.
  int64_t largest = 0;
  double truths = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Tree tree = random_tree(seed, 4);
    largest = std::max(largest, tree.symbols.num_elements());
    truths += tree.truth.to_vector<float>()[0];
  }
  EXPECT_GT(largest, 15);
  EXPECT_GT(truths, 60);
  EXPECT_LT(truths, 140);
}

TEST(Tree, IsEqualToAPlainRecursion) {
  auto weights = tree_weights(5, f64, 3);
  for (uint64_t seed : {1, 2, 3, 7}) {
    Tree tree = random_tree(seed, 4);
    Plain plain(weights, tree);
    double logit = plain.Logit(plain.Visit(0));
    TreeValue at_once = evaluate(weights, tree);
    EXPECT_NEAR(at_once.logit.item<double>(), logit, 1e-12);
    EXPECT_NEAR(at_once.loss.item<double>(), plain.MeanLoss(), 1e-12);
  }
}

TEST(Tree, GradientsAreThoseOfDifferences) {
  Tree tree = random_tree(4, 2);
  ASSERT_GT(tree.symbols.num_elements(), 3);
  auto weights = tree_weights(2, f64, 1);
  gradcheck(
      [&](const std::vector<Tensor>& w) {
        return std::vector<Tensor>{evaluate(w, tree).loss};
      },
      weights);
}

// One recording for trees of every form, with the numbers of calls at once.
TEST(Tree, InTheGraphIsTheSame) {
  auto weights = tree_weights(3, f64, 2);
  auto value =
      function([&](Tensor symbols, Tensor left, Tensor right, Tensor truth) {
        TreeValue v = evaluate(weights, {symbols, left, right, truth});
        std::vector<Tensor> results = grad(v.loss, weights, {.dense = true});
        results.push_back(v.logit);
        results.push_back(v.loss);
        return results;
      });
  for (uint64_t seed : {5, 6, 8}) {
    Tree tree = random_tree(seed, 3);
    std::vector<Tensor> got =
        value(tree.symbols, tree.left, tree.right, tree.truth);
    TreeValue want = evaluate(weights, tree);
    EXPECT_EQ(got[5].item<double>(), want.logit.item<double>());
    EXPECT_NEAR(got[6].item<double>(), want.loss.item<double>(), 1e-14);
    std::vector<Tensor> slopes = grad(want.loss, weights, {.dense = true});
    for (size_t k = 0; k < slopes.size(); ++k) {
      auto a = got[k].to_vector<double>(), b = slopes[k].to_vector<double>();
      for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-12);
    }
  }
  EXPECT_EQ(value.traces().size(), 1u);
}

TEST(Tree, Learns) {
  auto weights = tree_weights(12, f32, 1);
  optim::Adam adam(weights, {.lr = 1e-2});
  auto step =
      function([&](Tensor symbols, Tensor left, Tensor right, Tensor truth) {
        Tensor loss = evaluate(weights, {symbols, left, right, truth}).loss;
        adam.zero_grad();
        loss.backward();
        adam.step();
        return loss;
      });
  auto mean_loss = [&](uint64_t first) {
    double sum = 0;
    for (uint64_t seed = first; seed < first + 100; ++seed) {
      Tree t = random_tree(seed, 3);
      sum += step(t.symbols, t.left, t.right, t.truth).item<float>();
    }
    return sum / 100;
  };
  double before = mean_loss(0);
  for (uint64_t k = 1; k < 7; ++k) mean_loss(100 * k);
  double after = mean_loss(700);
  EXPECT_LT(after, 0.3 * before);
}

}  // namespace
}  // namespace sluice::loops
