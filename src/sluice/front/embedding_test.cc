#include <gtest/gtest.h>

#include <cmath>

#include "sluice/front/front_test_util.h"
#include "sluice/sluice.h"

namespace sluice {
namespace {

using Floats = std::vector<float>;
using Ids = std::vector<int64_t>;

constexpr int64_t kSize = 3;

// Row i of the table is i, i + 0.1, i + 0.2.
Tensor Rows(const Ids& rows) {
  Array a =
      Array::Zeros(DType::kF32, {static_cast<int64_t>(rows.size()), kSize});
  for (size_t i = 0; i < rows.size(); ++i) {
    for (size_t k = 0; k < kSize; ++k) {
      a.mutable_data<float>()[i * kSize + k] =
          static_cast<float>(rows[i]) + 0.1f * static_cast<float>(k);
    }
  }
  return Tensor(MakeRef<EagerValue>(a)).requires_grad_();
}

std::vector<Tensor> Shards(ShardStrategy strategy) {
  if (strategy == ShardStrategy::kMod) {
    return {Rows({0, 3, 6, 9}), Rows({1, 4, 7, 10}), Rows({2, 5, 8})};
  }
  return {Rows({0, 1, 2, 3}), Rows({4, 5, 6, 7}), Rows({8, 9, 10})};
}

TEST(Embedding, PartsTogetherAreTheTable) {
  Tensor table = Rows({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  Tensor ids = constant({{10, 0, 3}, {3, 7, 8}});
  Floats wanted = embedding_lookup(table, ids).to_vector<float>();
  for (ShardStrategy strategy : {ShardStrategy::kMod, ShardStrategy::kDiv}) {
    Tensor y = embedding_lookup(Shards(strategy), ids, strategy);
    EXPECT_EQ(y.shape(), (PartialShape{2, 3, kSize}));
    EXPECT_EQ(y.to_vector<float>(), wanted);
    Tensor none = Tensor(MakeRef<EagerValue>(Array::Zeros(DType::kI64, {0})));
    EXPECT_EQ(embedding_lookup(Shards(strategy), none, strategy).shape(),
              (PartialShape{0, kSize}));
    for (int64_t bad : {-1, 11, 12}) {
      EXPECT_THROW(embedding_lookup(Shards(strategy), {bad}, strategy), Error)
          << bad;
    }
  }
}

TEST(Embedding, GradientsOfPartsAreSparse) {
  for (ShardStrategy strategy : {ShardStrategy::kMod, ShardStrategy::kDiv}) {
    std::vector<Tensor> shards = Shards(strategy);
    Tensor ids = constant({10, 0, 3, 3, 8});
    Tensor y = embedding_lookup(shards, ids, strategy);
    sum(y * y).backward();
    int64_t rows = 0;
    for (const Tensor& shard : shards) {
      ASSERT_TRUE(shard.grad().is_sparse());
      rows += shard.grad().values().dim(0);
      // Twice the row as often as it was looked up.
      Tensor g = shard.grad().coalesce();
      Floats at = gather(shard, g.indices()).to_vector<float>();
      Floats got = g.values().to_vector<float>();
      for (size_t i = 0; i < at.size(); ++i) {
        float times = std::floor(at[i]) == 3 ? 2 : 1;
        EXPECT_FLOAT_EQ(got[i], 2 * times * at[i]);
      }
    }
    EXPECT_EQ(rows, 5);
  }
}

TEST(Embedding, WorksInGraphs) {
  for (ShardStrategy strategy : {ShardStrategy::kMod, ShardStrategy::kDiv}) {
    Graph graph;
    GraphScope building(graph);
    std::vector<Tensor> shards;
    for (const Tensor& shard : Shards(strategy)) {
      shards.push_back(constant(shard.array()));
    }
    Tensor ids = placeholder(DType::kI32, {any});
    Tensor y = embedding_lookup(shards, ids, strategy);
    std::vector<Tensor> g = gradients({sum(y)}, shards);
    for (const Tensor& part : g) EXPECT_TRUE(part.is_sparse());
    Session session(graph);
    std::vector<Array> got = session.run(
        {y, g[1].to_dense()}, {{ids, Array::Vector<int32_t>({4, 4})}});
    EXPECT_FLOAT_EQ(got[0].data<float>()[4], 4.1f);
    // Row 4 is the second of part 1 by mod and the first by div.
    bool mod = strategy == ShardStrategy::kMod;
    EXPECT_EQ(got[1].data<float>()[0], mod ? 0 : 2);
    EXPECT_EQ(got[1].data<float>()[kSize], mod ? 2 : 0);
  }
}

TEST(Embedding, PartsOfUnknownSizesCannotBeDivided) {
  Graph graph;
  GraphScope building(graph);
  Tensor part = placeholder(DType::kF32, {any, 2});
  try {
    embedding_lookup({part, part}, constant({1}), ShardStrategy::kDiv);
    FAIL();
  } catch (const Error& e) {
    std::string text = e.what();
    EXPECT_NE(text.find("embedding_lookup: a part is [?,2]; wanted"), text.npos)
        << text;
    EXPECT_NE(text.find("embedding_test.cc:"), text.npos) << text;
  }
}

// ---- Sampled softmax ----

struct Model {
  static constexpr int64_t kClasses = 24, kWidth = 4, kBatch = 3;
  Tensor weights, biases, inputs, labels;

  Model() {
    auto wave = [](const Shape& shape, double step, double scale) {
      Array a = Array::Zeros(DType::kF32, shape);
      for (int64_t i = 0; i < a.num_elements(); ++i) {
        a.mutable_data<float>()[i] =
            static_cast<float>(scale * std::sin(step * static_cast<double>(i)));
      }
      return Tensor(MakeRef<EagerValue>(a)).requires_grad_();
    };
    weights = wave({kClasses, kWidth}, 0.7, 0.8);
    biases = wave({kClasses}, 1.3, 0.3);
    inputs = wave({kBatch, kWidth}, 2.1, 1);
    labels = constant({2, 0, 9});
  }
  Tensor Full() const {
    Tensor logits = matmul(inputs, weights, {.transpose_b = true}) + biases;
    Tensor of_label = sum(inputs * gather(weights, labels), {.axes = {-1}}) +
                      gather(biases, labels);
    return sum(log(sum(exp(logits), {.axes = {-1}})) - of_label);
  }
};

std::vector<double> Average(const Model& m, int64_t num_sampled, int runs,
                            const SampledSoftmaxOptions& options) {
  std::vector<double> total;
  for (int i = 0; i < runs; ++i) {
    Tensor loss =
        sum(sampled_softmax_loss({m.weights}, m.biases, m.labels, m.inputs,
                                 num_sampled, Model::kClasses, options));
    std::vector<Tensor> g = grad(loss, {m.weights, m.inputs}, {.dense = true});
    std::vector<double> all;
    for (const Tensor& part : g) {
      for (float v : part.to_vector<float>()) all.push_back(v);
    }
    total.resize(all.size(), 0);
    for (size_t k = 0; k < all.size(); ++k) total[k] += all[k] / runs;
  }
  return total;
}

double Distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0, size = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    sum += (a[i] - b[i]) * (a[i] - b[i]);
    size += b[i] * b[i];
  }
  return std::sqrt(sum / size);
}

TEST(SampledSoftmax, ExpectedGradientIsNearThatOfAllClasses) {
  manual_seed(17);
  Model m;
  std::vector<double> full;
  for (const Tensor& g :
       grad(m.Full(), {m.weights, m.inputs}, {.dense = true})) {
    for (float v : g.to_vector<float>()) full.push_back(v);
  }
  EXPECT_LT(Distance(Average(m, 16, 1500, {}), full), 0.08);
  EXPECT_LT(Distance(Average(m, 40, 1500, {.unique = false}), full), 0.08);
  // With all classes drawn nothing is left to chance.
  EXPECT_LT(Distance(Average(m, Model::kClasses, 3, {}), full), 1e-5);
}

TEST(SampledSoftmax, GradientsAreSparse) {
  Model m;
  sum(sampled_softmax_loss({m.weights}, m.biases, m.labels, m.inputs, 5,
                           Model::kClasses))
      .backward();
  ASSERT_TRUE(m.weights.grad().is_sparse());
  ASSERT_TRUE(m.biases.grad().is_sparse());
  EXPECT_EQ(m.weights.grad().values().dim(0), Model::kBatch + 5);
  EXPECT_FALSE(m.inputs.grad().is_sparse());
}

TEST(SampledSoftmax, TakesParts) {
  Model m;
  auto loss = [&](const std::vector<Tensor>& weights) {
    manual_seed(5);
    return sampled_softmax_loss(weights, m.biases, m.labels, m.inputs, 6,
                                Model::kClasses,
                                {.strategy = ShardStrategy::kDiv})
        .to_vector<float>();
  };
  Floats whole = loss({m.weights});
  Floats parts = loss({m.weights.at({slice(0, 13)}),
                       m.weights.at({slice(13, Model::kClasses)})});
  EXPECT_EQ(whole.size(), static_cast<size_t>(Model::kBatch));
  for (size_t i = 0; i < whole.size(); ++i) {
    EXPECT_NEAR(whole[i], parts[i], 1e-5);
  }
}

}  // namespace
}  // namespace sluice
