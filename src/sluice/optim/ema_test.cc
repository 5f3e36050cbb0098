#include "sluice/optim/optim_test_util.h"

namespace sluice::optim {
namespace {

TEST(Ema, FollowsItsFormula) {
  Tensor w = constant({1.f, 2.f}).clone().requires_grad_();
  Ema ema({{"w", w}}, {.decay = 0.9});
  auto update = function([&] { ema.update(); });
  double wanted = 1;
  for (int i = 0; i < 10; ++i) {
    NoGrad off;
    w.mul_(1.5f);
    i % 2 == 0 ? (void)ema.update() : update();
    wanted = 0.9 * wanted + 0.1 * w[0].item<float>();
  }
  ExpectNear(ema.value(0).to_vector<float>(), {wanted, 2 * wanted}, 1e-4);
  EXPECT_EQ(ema.state_dict().at("updates").item<int64_t>(), 10);
}

TEST(Ema, RampsUp) {
  Tensor w = zeros({1}).clone();
  Ema ema({w}, {.decay = 0.5, .ramp = true});
  w.fill_(1);
  double wanted = 0;
  for (int n = 0; n < 12; ++n) {
    ema.update();
    double decay = std::min(0.5, (1.0 + n) / (10 + n));
    wanted = decay * wanted + (1 - decay);
  }
  ExpectNear(ema.value(0).to_vector<float>(), {wanted});
}

TEST(Ema, IsSwappedInAndOut) {
  Tensor w = constant({1.f}).clone().requires_grad_();
  Ema ema({w}, {.decay = 0.5});
  {
    NoGrad off;
    w.fill_(3);
  }
  ema.update();
  {
    auto means = ema.use();
    EXPECT_EQ(w.item<float>(), 2);
  }
  EXPECT_EQ(w.item<float>(), 3);
  EXPECT_THROW(
      {
        auto means = ema.use();
        matmul(w, w);
      },
      Error);
  EXPECT_EQ(w.item<float>(), 3) << "also when something is thrown";
  EXPECT_TRUE(w.requires_grad());
}

TEST(Ema, StateComesBack) {
  Tensor w = constant({1.f, 5.f}).clone();
  Ema a({{"w", w}}, {.decay = 0.5}), b({{"w", w}}, {.decay = 0.5});
  w.mul_(2);
  a.update();
  b.load_state_dict(a.state_dict());
  EXPECT_EQ(b.value(0).to_vector<float>(), (Floats{1.5, 7.5}));
  w.mul_(2);
  a.update();
  EXPECT_EQ(b.value(0).to_vector<float>(), (Floats{1.5, 7.5})) << "a copy";
  EXPECT_THROW(b.load_state_dict({{"w.ema", ones({2})}}), Error);
  EXPECT_THROW(b.load_state_dict(
                   {{"w.ema", ones({3})}, {"updates", constant(int64_t{1})}}),
               Error);
  EXPECT_EQ(b.value(0).to_vector<float>(), (Floats{1.5, 7.5}));
}

TEST(Ema, OfSixteenBitsIsKeptWider) {
  Tensor w = cast(ones({1}), DType::kBF16);
  Ema ema({w}, {.decay = 0.999});
  w.fill_(2);
  for (int i = 0; i < 100; ++i) ema.update();
  EXPECT_NEAR(ema.value(0).item<float>(), 2 - std::pow(0.999, 100), 1e-4);
  auto means = ema.use();
  EXPECT_EQ(w.dtype(), DType::kBF16);
}

TEST(Ema, InGraphs) {
  Graph graph;
  Variable w;
  Operation grow, update;
  Tensor mean;
  {
    GraphScope building(graph);
    w = variable(constant({2.f}), "w");
    Ema ema({w}, {.decay = 0.5});
    grow = w.assign_add(constant({4.f}));
    update = ema.update();
    mean = ema.value(0);
  }
  Session session(graph);
  session.run(initialize_variables(graph));
  session.run(grow);
  session.run(update);
  EXPECT_EQ(Elements<float>(session.run(mean))[0], 4);
}

TEST(Ema, BadInput) {
  Tensor w = ones({1}).clone();
  EXPECT_THROW(Ema(Parameters{}), Error);
  EXPECT_THROW(Ema({w}, {.decay = 1.5}), Error);
  EXPECT_THROW(Ema({constant({1, 2})}), Error);
}

}  // namespace
}  // namespace sluice::optim
