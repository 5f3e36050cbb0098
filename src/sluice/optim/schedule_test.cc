// Schedules against closed forms, as numbers and in plans and graphs.
#include <numbers>

#include "sluice/optim/optim_test_util.h"

namespace sluice::optim {
namespace {

struct Shown {
  std::string name;
  Curve curve;
  std::function<double(int)> wanted;  // of base 0.8
};

double Between(double a, double b, double part) {
  return b + (a - b) * (1 + std::cos(std::numbers::pi * part)) / 2;
}

std::vector<Shown> Curves() {
  return {
      {"constant", constant_rate(), [](int) { return 0.8; }},
      {"step", step_decay({.step_size = 3, .gamma = 0.5}),
       [](int t) { return 0.8 * std::pow(0.5, t / 3); }},
      {"multi step", multi_step({.milestones = {2, 5}, .gamma = 0.1}),
       [](int t) { return t < 2   ? 0.8
                          : t < 5 ? 0.08
                                  : 0.008; }},
      {"exponential", exponential(0.9),
       [](int t) { return 0.8 * std::pow(0.9, t); }},
      {"linear", linear_factor({.start_factor = 0.5, .steps = 4}),
       [](int t) { return t < 4 ? 0.8 * (0.5 + 0.125 * t) : 0.8; }},
      {"constant factor", constant_factor({.factor = 0.25, .steps = 3}),
       [](int t) { return t < 3 ? 0.2 : 0.8; }},
      {"polynomial", polynomial({.steps = 8, .power = 2}),
       [](int t) { return t < 8 ? 0.8 * std::pow(1 - t / 8.0, 2) : 0; }},
      {"cosine restarts", cosine_restarts({.steps = 4, .min_lr = 0.1}),
       [](int t) { return Between(0.8, 0.1, (t % 4) / 4.0); }},
      {"cosine", cosine({.steps = 10, .min_lr = 0.1}),
       [](int t) { return Between(0.8, 0.1, t / 10.0); }},
      {"one cycle", one_cycle({.max_lr = 2, .total_steps = 10}),
       [](int t) {
         double first = 2 / 25.0, last = first / 1e4;
         if (t > 9) t = 9;
         return t <= 2 ? Between(first, 2, t / 2.0)
                       : Between(2, last, (t - 2) / 7.0);
       }},
      {"one cycle in three lines",
       one_cycle({.max_lr = 2,
                  .total_steps = 10,
                  .pct_start = 0.4,
                  .linear = true,
                  .three_phase = true}),
       [](int t) {
         double first = 2 / 25.0, last = first / 1e4;
         auto line = [](double a, double b, double part) {
           return a + (b - a) * part;
         };
         if (t > 9) t = 9;
         if (t <= 3) return line(first, 2, t / 3.0);
         if (t <= 6) return line(2, first, (t - 3) / 3.0);
         return line(first, last, (t - 6) / 3.0);
       }},
      {"cyclic", cyclic({.max_lr = 2, .steps = 6, .up = 1 / 3.0}),
       [](int t) {
         const double heights[] = {0, 0.5, 1, 0.75, 0.5, 0.25};
         return 0.8 + 1.2 * heights[t % 6];
       }},
      {"cyclic, half as high each time",
       cyclic({.max_lr = 2, .steps = 4, .mode = "triangular2"}),
       [](int t) {
         const double heights[] = {0, 0.5, 1, 0.5};
         return 0.8 + 1.2 * heights[t % 4] * std::pow(0.5, t / 4);
       }},
      {"cyclic, lower at every step",
       cyclic({.max_lr = 2, .steps = 4, .mode = "exp_range", .gamma = 0.9}),
       [](int t) {
         const double heights[] = {0, 0.5, 1, 0.5};
         return 0.8 + 1.2 * heights[t % 4] * std::pow(0.9, t);
       }},
      {"anneal", anneal({.target = 0.1, .steps = 5}),
       [](int t) { return Between(0.8, 0.1, std::min(t, 5) / 5.0); }},
      {"anneal on a line", anneal({.target = 0.1, .steps = 5, .linear = true}),
       [](int t) { return 0.8 - 0.7 * std::min(t, 5) / 5.0; }},
      {"anneal at once", anneal({.target = 0.1, .steps = 0}),
       [](int t) { return t == 0 ? 0.8 : 0.1; }},
      {"warm-up", warm_up({.steps = 4, .start_factor = 0.5}),
       [](int t) { return t < 4 ? 0.8 * (0.5 + 0.125 * t) : 0.8; }},
      {"warm-up before another", warm_up({.steps = 4}, cosine({.steps = 6})),
       [](int t) {
         return t < 4 ? 0.8 * (1 + 0.5 * t) / 3
                      : Between(0.8, 0, (t - 4) / 6.0);
       }},
  };
}

TEST(Schedules, FollowTheirFormulas) {
  for (const Shown& s : Curves()) {
    SCOPED_TRACE(s.name);
    Tensor w = ones({1}).clone().requires_grad_();
    SGD optimizer({w}, {.lr = 0.8});
    Schedule schedule(optimizer, s.curve);
    for (int t = 0; t < 12; ++t) {
      EXPECT_NEAR(optimizer.lr(), s.wanted(t), 1e-12) << "step " << t;
      schedule.step();
    }
  }
}

TEST(Schedules, RestartsThatGrowAreOfNumbers) {
  Curve curve = cosine_restarts({.steps = 2, .growth = 3});
  auto wanted = [](int t) {
    return t < 2   ? Between(1, 0, t / 2.0)
           : t < 8 ? Between(1, 0, (t - 2) / 6.0)
                   : Between(1, 0, (t - 8) / 18.0);
  };
  for (int t = 0; t < 20; ++t) {
    EXPECT_NEAR(curve.at(1, static_cast<double>(t)), wanted(t), 1e-12);
  }
  EXPECT_THROW(curve.at(1, constant(3)), Error);
}

// One plan, which computes the rate from the number of steps.
TEST(Schedules, AreFollowedByRecordedPlans) {
  for (const Shown& s : Curves()) {
    SCOPED_TRACE(s.name);
    Tensor w = zeros({1}).clone().requires_grad_();
    SGD optimizer({w}, {.lr = 0.8});
    optimizer.follow(s.curve);
    auto step = function([&](Tensor g) {
      optimizer.zero_grad();
      sum(w * g).backward();
      optimizer.step();
    });
    double wanted = 0;
    for (int t = 0; t < 12; ++t) {
      step(ones({1}));
      wanted -= s.wanted(t);
      EXPECT_NEAR(optimizer.lr(), s.wanted(t), 1e-12) << "step " << t;
      EXPECT_NEAR(w.item<float>(), wanted, 1e-5) << "step " << t;
    }
    EXPECT_EQ(step.traces().size(), 1u);
  }
}

TEST(Schedules, AreFollowedInGraphs) {
  for (const Shown& s : Curves()) {
    SCOPED_TRACE(s.name);
    Graph graph;
    Variable w;
    Operation train;
    Tensor at_three;
    {
      GraphScope building(graph);
      w = variable(0.f, "w");
      SGD optimizer(0.8);
      at_three = s.curve.at(0.8, constant(3));
      optimizer.follow(s.curve);
      train = optimizer.minimize(w * 1);
    }
    Session session(graph);
    EXPECT_NEAR(Elements<double>(session.run(at_three))[0], s.wanted(3), 1e-12);
    session.run(initialize_variables(graph));
    double wanted = 0;
    for (int t = 0; t < 8; ++t) {
      session.run(train);
      wanted -= s.wanted(t);
    }
    EXPECT_NEAR(session.run(w).data<float>()[0], wanted, 1e-5);
  }
}

TEST(Schedules, ByTheirNames) {
  Tensor a = ones({1}).clone(), b = ones({1}).clone();
  SGD optimizer({a}, {.lr = 1});
  optimizer.add_param_group({b}, {.lr = 0.1});
  {
    StepLR s(optimizer, {.step_size = 2, .gamma = 0.5});
    for (int i = 0; i < 5; ++i) s.step();
    EXPECT_NEAR(optimizer.lr(0), 0.25, 1e-15);
    EXPECT_NEAR(optimizer.lr(1), 0.025, 1e-15) << "each group by its own";
  }
  optimizer.set_lr(1);
  {
    CosineAnnealing s(optimizer, {.steps = 2});
    s.step();
    EXPECT_NEAR(optimizer.lr(), 0.5, 1e-15);
  }
  optimizer.set_lr(1);
  {
    OneCycle s(optimizer, {.max_lr = 0.5, .total_steps = 10});
    EXPECT_NEAR(optimizer.lr(), 0.02, 1e-15);
  }
  optimizer.set_lr(1);
  {
    WarmUp s(optimizer, {.steps = 2, .start_factor = 0.5}, exponential(0.5));
    EXPECT_EQ(optimizer.lr(), 0.5);
    for (int i = 0; i < 3; ++i) s.step();
    EXPECT_NEAR(optimizer.lr(), 0.5, 1e-15);
  }
  optimizer.set_lr(1);
  {
    LambdaLR s(optimizer, [](int64_t t) { return 1.0 / double(1 + t); });
    for (int i = 0; i < 3; ++i) s.step();
    EXPECT_NEAR(optimizer.lr(), 0.25, 1e-15);
    EXPECT_THROW(s.at(constant(1)), Error) << "numbers only";
  }
}

TEST(Schedules, StateComesBack) {
  Tensor w = ones({1}).clone();
  SGD optimizer({w}, {.lr = 1}), other({w}, {.lr = 123});
  StepLR a(optimizer, {.step_size = 1, .gamma = 0.5});
  StepLR b(other, {.step_size = 1, .gamma = 0.5});
  for (int i = 0; i < 3; ++i) a.step();
  b.load_state_dict(a.state_dict());
  EXPECT_EQ(other.lr(), 0.125);
  b.step();
  EXPECT_EQ(other.lr(), 0.0625);
  EXPECT_THROW(b.load_state_dict({}), Error);
  EXPECT_EQ(b.steps(), 4);
}

TEST(Plateau, MakesRatesSmallerWhenNothingGetsBetter) {
  Tensor w = ones({1}).clone();
  SGD optimizer({w}, {.lr = 1});
  ReduceOnPlateau schedule(
      optimizer, {.factor = 0.5, .patience = 1, .cooldown = 1, .min_lr = 0.2});
  std::vector<double> rates;
  for (double loss : {5.0, 4.0, 4.0, 3.9999, 4.0, 4.0, 4.0, 4.0, 3.0, 3.0, 3.0,
                      3.0, 3.0, 3.0}) {
    schedule.step(loss);
    rates.push_back(optimizer.lr());
  }
  EXPECT_EQ(rates, (std::vector<double>{1, 1, 1, .5, .5, .5, .25, .25, .25, .25,
                                        .2, .2, .2, .2}));
  EXPECT_EQ(schedule.best(), 3);
  schedule.step(NAN);
  EXPECT_EQ(schedule.best(), 3);
}

TEST(Plateau, OfWhatShouldGrow) {
  Tensor w = ones({1}).clone();
  SGD optimizer({w}, {.lr = 1});
  ReduceOnPlateau schedule(optimizer, {.maximize = true,
                                       .factor = 0.5,
                                       .patience = 0,
                                       .threshold = 0.1,
                                       .relative = false});
  schedule.step(0.5);
  schedule.step(0.7);
  EXPECT_EQ(optimizer.lr(), 1);
  schedule.step(0.75);
  EXPECT_EQ(optimizer.lr(), 0.5);
}

TEST(Plateau, StateComesBack) {
  Tensor w = ones({1}).clone();
  SGD optimizer({w}, {.lr = 1}), other({w}, {.lr = 1});
  PlateauOptions options{.factor = 0.5, .patience = 2};
  ReduceOnPlateau a(optimizer, options), b(other, options);
  for (int i = 0; i < 3; ++i) a.step(1);
  b.load_state_dict(a.state_dict());
  a.step(1);
  b.step(1);
  EXPECT_EQ(optimizer.lr(), 0.5);
  EXPECT_EQ(other.lr(), 0.5);
}

TEST(Schedules, BadInput) {
  Tensor w = ones({1}).clone().requires_grad_();
  SGD optimizer({w}, {.lr = 1});
  EXPECT_THROW(step_decay({.step_size = 0}), Error);
  EXPECT_THROW(cosine({.steps = 0}), Error);
  EXPECT_THROW(one_cycle({.total_steps = 0}), Error);
  EXPECT_THROW(one_cycle({.pct_start = 1.5}), Error);
  EXPECT_THROW(warm_up({.steps = -1}), Error);
  EXPECT_THROW(ReduceOnPlateau(optimizer, {.factor = 1}), Error);
  EXPECT_THROW(LambdaLR(optimizer, [](int64_t) { return NAN; }), Error);
  EXPECT_EQ(optimizer.lr(), 1);
  // A rate that is set while a function is recorded would be set only then.
  StepLR schedule(optimizer, {.step_size = 1});
  auto step = function([&](Tensor x) {
    schedule.step();
    return x + w;
  });
  EXPECT_TRUE(Contains(ErrorOf([&] { step(ones({1})); }), "or follow()"));
}

}  // namespace
}  // namespace sluice::optim
