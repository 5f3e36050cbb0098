#include "sluice/optim/optim_test_util.h"

namespace sluice::optim {
namespace {

Tensor Leaf(Floats values) {
  auto n = static_cast<int64_t>(values.size());
  return Tensor(MakeRef<EagerValue>(
                    Array::Of<float>({n}, std::span<const float>(values))))
      .clone()
      .requires_grad_();
}

TEST(Clip, ByNormKeepsTheDirection) {
  Tensor a = Leaf({0, 0}), b = Leaf({0}), c = Leaf({0});
  a.set_grad(constant({2.f, 4.f}));
  b.set_grad(constant({4.f}));
  Tensor norm = clip_grad_norm_({a, b, c}, 3);
  EXPECT_NEAR(norm.item<float>(), 6, 1e-6);
  ExpectNear(a.grad().to_vector<float>(), {1, 2});
  ExpectNear(b.grad().to_vector<float>(), {2});
  EXPECT_FALSE(c.grad().defined());
  // What is small enough stays as it is.
  norm = clip_grad_norm_({a, b, c}, 100);
  EXPECT_NEAR(norm.item<float>(), 3, 1e-5);
  ExpectNear(a.grad().to_vector<float>(), {1, 2});
}

TEST(Clip, ByValue) {
  Tensor a = Leaf({0, 0, 0});
  a.set_grad(constant({-5.f, 0.25f, 5.f}));
  clip_grad_value_({a}, 0.5);
  EXPECT_EQ(a.grad().to_vector<float>(), (Floats{-.5, .25, .5}));
}

// A row that is used twice counts as the sum.
TEST(Clip, OfSparseGradients) {
  Tensor w = zeros({4, 1}).clone().requires_grad_();
  auto backward = [&] {
    w.zero_grad();
    sum(gather(w, constant({2, 0, 2})) * constant({{1.5f}, {4.f}, {1.5f}}))
        .backward();
  };
  backward();
  EXPECT_NEAR(clip_grad_norm_({w}, 1).item<float>(), 5, 1e-6);
  ASSERT_TRUE(w.grad().is_sparse());
  ExpectNear(w.grad().to_dense().to_vector<float>(), {0.8, 0, 0.6, 0});
  backward();
  clip_grad_value_({w}, 2.5);
  ASSERT_TRUE(w.grad().is_sparse());
  ExpectNear(w.grad().to_dense().to_vector<float>(), {2.5, 0, 2.5, 0});
}

TEST(Clip, InCapturedFunctions) {
  Tensor w = zeros({2}).clone().requires_grad_();
  Tensor table = zeros({3, 1}).clone().requires_grad_();
  SGD optimizer({w, table}, {.lr = 1});
  auto step = function([&](Tensor g, Tensor ids) {
    optimizer.zero_grad();
    (sum(w * g) + sum(gather(table, ids)) * 2).backward();
    Tensor norm = clip_grad_norm_({w, table}, 1);
    optimizer.step();
    return norm;
  });
  Tensor norm =
      step(constant({2.f, 1.f}), constant(Array::Vector<int64_t>({1})));
  EXPECT_NEAR(norm.item<float>(), 3, 1e-6);
  ExpectNear(w.to_vector<float>(), {-2.0 / 3, -1.0 / 3});
  ExpectNear(table.to_vector<float>(), {0, -2.0 / 3, 0});
}

TEST(Clip, InGraphs) {
  Graph graph;
  Variable w, table;
  Operation train;
  Tensor norm;
  {
    GraphScope building(graph);
    w = variable(zeros({2}), "w");
    table = variable(zeros({3, 1}), "table");
    SGD optimizer(1);
    auto found = optimizer.compute_gradients(
        sum(w * constant({2.f, 1.f})) + sum(gather(table, constant({1}))) * 2);
    std::vector<Tensor> gradients;
    for (auto& f : found) gradients.push_back(f.grad);
    Clipped clipped = clip_by_global_norm(gradients, 1);
    for (size_t i = 0; i < found.size(); ++i) {
      found[i].grad = clipped.gradients[i];
    }
    norm = clipped.norm;
    train = optimizer.apply_gradients(found);
  }
  Session session(graph);
  session.run(initialize_variables(graph));
  EXPECT_NEAR(session.run(norm).data<float>()[0], 3, 1e-6);
  session.run(train);
  ExpectNear(Elements<float>(session.run(w)), {-2.0 / 3, -1.0 / 3});
  ExpectNear(Elements<float>(session.run(table)), {0, -2.0 / 3, 0});
}

// Squares of 16 bits overflow; their norm does not.
TEST(Clip, OfHalves) {
  Tensor w = cast(zeros({2}), DType::kF16).requires_grad_();
  w.set_grad(cast(constant({30000.f, 40000.f}), DType::kF16));
  Tensor norm = clip_grad_norm_({w}, 5);
  EXPECT_NEAR(norm.item<float>(), 50000, 20);
  ExpectNear(cast(w.grad(), DType::kF32).to_vector<float>(), {3, 4}, 5e-3);
}

TEST(Clip, ByNormsOfOtherOrders) {
  Tensor a = Leaf({0, 0}), b = Leaf({0});
  auto clipped = [&](double max_norm, double order) {
    a.set_grad(constant({2.f, -4.f}));
    b.set_grad(constant({2.f}));
    return clip_grad_norm_({a, b}, max_norm, {.norm_type = order})
        .item<float>();
  };
  EXPECT_NEAR(clipped(4, 1), 8, 1e-5);
  ExpectNear(a.grad().to_vector<float>(), {1, -2});
  ExpectNear(b.grad().to_vector<float>(), {1});
  EXPECT_NEAR(clipped(1, HUGE_VAL), 4, 1e-6);
  ExpectNear(a.grad().to_vector<float>(), {0.5, -1});
  EXPECT_NEAR(clipped(100, 3), std::cbrt(80.0), 1e-4);
  ExpectNear(a.grad().to_vector<float>(), {2, -4});
}

TEST(Clip, NormsThatAreNotFiniteAreErrors) {
  Tensor a = Leaf({0, 0});
  auto want = [&](float first) {
    a.set_grad(constant({first, 4.f}));
    return clip_grad_norm_({a}, 1, {.error_if_nonfinite = true});
  };
  EXPECT_NEAR(want(3).item<float>(), 5, 1e-6);
  EXPECT_THROW(want(NAN), Error);
  EXPECT_THROW(want(HUGE_VALF), Error);
  EXPECT_EQ(a.grad().to_vector<float>()[1], 4) << "as it was";
  // Those of a recorded function fail in its call.
  auto step = function([&](Tensor g) {
    a.zero_grad();
    sum(a * g).backward();
    return clip_grad_norm_({a}, 1, {.error_if_nonfinite = true});
  });
  EXPECT_NEAR(step(constant({3.f, 4.f})).item<float>(), 5, 1e-6);
  EXPECT_THROW(step(constant({NAN, 4.f})).item<float>(), Error);
}

TEST(Clip, BadInput) {
  Tensor a = Leaf({1});
  EXPECT_EQ(clip_grad_norm_({a}, 1).item<float>(), 0) << "no gradients";
  EXPECT_THROW(global_norm({}), Error);
  a.set_grad(ones({1}));
  EXPECT_THROW(clip_grad_norm_({a}, -1), Error);
  EXPECT_THROW(clip_grad_norm_({a}, NAN), Error);
  EXPECT_THROW(clip_grad_value_({a}, -1), Error);
  EXPECT_EQ(a.grad().item<float>(), 1);
}

}  // namespace
}  // namespace sluice::optim
