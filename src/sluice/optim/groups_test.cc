// Groups, learning rates, and what is not given to optimizers.
#include "sluice/optim/optim_test_util.h"

namespace sluice::optim {
namespace {

TEST(Groups, HaveOptionsOfTheirOwn) {
  Tensor a = ones({2}).clone().requires_grad_();
  Tensor b = ones({2}).clone().requires_grad_();
  SGD optimizer({a}, {.lr = 0.5});
  EXPECT_EQ(optimizer.add_param_group({b}, {.lr = 0.25, .weight_decay = 1}),
            1u);
  EXPECT_EQ(optimizer.num_groups(), 2u);
  a.set_grad(ones({2}));
  b.set_grad(ones({2}));
  optimizer.step();
  EXPECT_EQ(a.to_vector<float>(), (Floats{.5, .5}));
  EXPECT_EQ(b.to_vector<float>(), (Floats{.5, .5}));
  EXPECT_EQ(optimizer.lr(1), 0.25);
  EXPECT_EQ(optimizer.options(1).weight_decay, 1);
}

TEST(Groups, TakeOtherOptionsBetweenSteps) {
  Tensor a = ones({1}).clone().requires_grad_();
  SGD optimizer({a}, {.lr = 0.5});
  a.set_grad(ones({1}));
  optimizer.step();
  EXPECT_EQ(a.item<float>(), 0.5f);
  optimizer.set_options(0, {.lr = 0.25, .weight_decay = 2});
  optimizer.step();
  EXPECT_EQ(a.item<float>(), 0.f) << "0.5 - 0.25 (1 + 2 0.5)";
  EXPECT_THROW(optimizer.set_options(0, {.momentum = -1}), Error);
  EXPECT_THROW(optimizer.set_options(1, {}), Error);
  EXPECT_EQ(optimizer.options().weight_decay, 2);
}

TEST(Groups, ThatMaximizeClimb) {
  Tensor a = ones({1}).clone().requires_grad_();
  Tensor b = ones({1}).clone().requires_grad_();
  SGD optimizer({a}, {.lr = 0.5, .maximize = true});
  optimizer.add_param_group({b}, {.lr = 0.5});
  a.set_grad(ones({1}));
  b.set_grad(ones({1}));
  optimizer.step();
  EXPECT_EQ(a.item<float>(), 1.5f);
  EXPECT_EQ(b.item<float>(), 0.5f);
}

TEST(Groups, ThatAreAddedLaterCountTheirOwnSteps) {
  Tensor a = ones({1}).clone().requires_grad_();
  Tensor b = ones({1}).clone().requires_grad_();
  Adam optimizer({a});
  for (int i = 0; i < 5; ++i) {
    a.set_grad(ones({1}));
    optimizer.step();
  }
  optimizer.add_param_group({b}, {.lr = 0.1});
  b.set_grad(ones({1}));
  optimizer.step();
  EXPECT_EQ(optimizer.step_variable(0).tensor().item<int64_t>(), 6);
  EXPECT_EQ(optimizer.step_variable(1).tensor().item<int64_t>(), 1);
  EXPECT_NEAR(b.item<float>(), 0.9f, 1e-6) << "a first step is of size lr";
}

TEST(Groups, InGraphs) {
  Graph graph;
  Variable a, b;
  Operation train;
  {
    GraphScope building(graph);
    a = variable(1.f, "a");
    b = variable(1.f, "b");
    SGD optimizer({a}, {.lr = 0.5});
    optimizer.add_param_group({b}, {.lr = 0.25});
    train = optimizer.minimize(a + b);
  }
  Session session(graph);
  session.run(initialize_variables(graph));
  session.run(train);
  EXPECT_EQ(session.run(a).data<float>()[0], 0.5f);
  EXPECT_EQ(session.run(b).data<float>()[0], 0.75f);
}

TEST(Parameters, WithoutAGradientAreLeftAlone) {
  Tensor a = ones({1}).clone().requires_grad_();
  Tensor b = ones({1}).clone().requires_grad_();
  AdamW optimizer({a, b}, {.lr = 0.1});
  optimizer.step();
  EXPECT_EQ(optimizer.step_variable().tensor().item<int64_t>(), 0);
  a.set_grad(ones({1}));
  optimizer.step();
  EXPECT_LT(a.item<float>(), 1);
  EXPECT_EQ(b.item<float>(), 1);
  EXPECT_FALSE(optimizer.state_dict().contains("1.exp_avg"));
}

TEST(LearningRate, ChangesBetweenCallsOfOnePlan) {
  Tensor w = zeros({1}).clone().requires_grad_();
  SGD optimizer({w}, {.lr = 1});
  auto step = function([&](Tensor g) {
    optimizer.zero_grad();
    sum(w * g).backward();
    optimizer.step();
  });
  step(ones({1}));
  EXPECT_EQ(w.item<float>(), -1);
  optimizer.set_lr(0.25);
  EXPECT_EQ(optimizer.lr(), 0.25);
  step(ones({1}));
  EXPECT_EQ(w.item<float>(), -1.25);
  EXPECT_EQ(step.traces().size(), 1u);
}

TEST(LearningRate, OfAGraphIsAVariable) {
  Graph graph;
  Variable w;
  Operation train, slower;
  {
    GraphScope building(graph);
    w = variable(0.f, "w");
    SGD optimizer(1);
    train = optimizer.minimize(w * 1);
    slower = optimizer.lr_variable().assign(0.25);
    EXPECT_TRUE(Contains(ErrorOf([&] { optimizer.set_lr(0.5); }),
                         "lr is part of a graph"));
  }
  Session session(graph);
  session.run(initialize_variables(graph));
  session.run(train);
  session.run(slower);
  session.run(train);
  EXPECT_EQ(session.run(w).data<float>()[0], -1.25f);
}

// Its slots and numbers are made outside of the loop, once.
TEST(Minimize, InsideALoopIsManySteps) {
  auto train = [](bool in_loop) {
    Graph graph;
    Variable w;
    Operation step;
    Tensor looped;
    {
      GraphScope building(graph);
      w = variable({1.f, -2.f, 3.f}, "w");
      Adam optimizer(0.1);
      auto once = [&] {
        Tensor loss = sum(w * w * w * w);
        step = optimizer.minimize(loss, {w});
        return loss;
      };
      if (in_loop) {
        looped = for_loop(6, [&](Tensor, Tensor) { return once(); }, 0.f);
      } else {
        once();
      }
    }
    Session session(graph);
    session.run(initialize_variables(graph));
    if (in_loop) {
      session.run(looped);
    } else {
      for (int i = 0; i < 6; ++i) session.run(step);
    }
    Array end = session.run(w);
    return std::vector<float>(end.data<float>(), end.data<float>() + 3);
  };
  EXPECT_EQ(train(true), train(false));
}

// Two optimizers in one graph, over the same variables too.
TEST(Minimize, TwiceInAGraph) {
  Graph graph;
  Variable a, b;
  Operation first, second;
  {
    GraphScope building(graph);
    a = variable(1.f, "a");
    b = variable(1.f, "b");
    first = Momentum(0.5).minimize(a * 1 + b * 1, {a});
    second = Momentum(0.25).minimize(a * 1 + b * 1);
  }
  Session session(graph);
  session.run(initialize_variables(graph));
  session.run(first);
  EXPECT_EQ(session.run(a).data<float>()[0], 0.5f);
  EXPECT_EQ(session.run(b).data<float>()[0], 1.f);
  session.run(second);
  EXPECT_EQ(session.run(a).data<float>()[0], 0.25f);
  EXPECT_EQ(session.run(b).data<float>()[0], 0.75f);
}

TEST(Minimize, FindsVariablesThroughLoopsAndLeavesOthers) {
  Graph graph;
  Variable a, other, count;
  Operation train;
  {
    GraphScope building(graph);
    a = variable(2.f, "a");
    other = variable(1.f, "other");
    count = variable(int64_t{3}, "count");
    Variable cut = variable(1.f, "cut");
    Tensor loss = a * a + stop_gradient(cut) + cast(count, DType::kF32);
    auto found = SGD(0.1).compute_gradients(loss);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].variable.name(), "a");
    train = SGD(0.1).apply_gradients(found);
  }
  Session session(graph);
  session.run(initialize_variables(graph));
  session.run(train);
  EXPECT_NEAR(session.run(a).data<float>()[0], 1.6f, 1e-6);
}

TEST(Minimize, Imperatively) {
  Tensor w = constant({1.f, 2.f}).clone().requires_grad_();
  SGD optimizer({w}, {.lr = 0.5});
  EXPECT_FALSE(optimizer.minimize(sum(w * w)));
  EXPECT_EQ(w.to_vector<float>(), (Floats{0, 0}));
}

TEST(BadInput, IsRefusedWithAReason) {
  Tensor w = ones({2}).clone().requires_grad_();
  auto error = [](auto f) { return ErrorOf(f); };
  EXPECT_TRUE(Contains(error([] { SGD(std::vector<Tensor>{}, {.lr = 1}); }),
                       "SGD: no parameters"));
  EXPECT_TRUE(Contains(error([&] { SGD({w, w}, {.lr = 1}); }),
                       "parameter \"1\" is the same as parameter \"0\""));
  EXPECT_TRUE(
      Contains(error([&] { SGD({w * 2}, {.lr = 1}); }), "wanted a leaf"));
  EXPECT_TRUE(Contains(error([&] { SGD({constant({1, 2})}, {.lr = 1}); }),
                       "is i32[2]; wanted floats"));
  EXPECT_TRUE(
      Contains(error([&] { SGD({Tensor()}, {.lr = 1}); }), "holds nothing"));
  EXPECT_TRUE(Contains(error([&] { SGD({w}, {.lr = -1}); }),
                       "SGD: lr is -1; wanted a finite number"));
  EXPECT_TRUE(Contains(error([&] { SGD({w}, {.lr = NAN}); }), "lr is nan"));
  EXPECT_TRUE(Contains(error([&] { Adam({w}, {.beta1 = 1.5}); }),
                       "Adam: beta1 is 1.5; wanted a number in [0, 1)"));
  EXPECT_TRUE(
      Contains(error([&] { SGD({w}, {.nesterov = true}); }), "nesterov"));
  EXPECT_TRUE(Contains(error([&] { SGD({w}).set_lr(NAN); }), "lr is nan"));
  EXPECT_TRUE(Contains(error([&] { SGD({w}).set_lr(3, 1); }), "no group 3"));
  EXPECT_TRUE(
      Contains(error([&] { SGD(0.1).step(); }), "step() without parameters"));
  EXPECT_TRUE(Contains(error([&] { SGD({w}).minimize(sum(ones({2}))); }),
                       "was not made from a tensor that requires gradients"));
  // The line is the user's.
  EXPECT_TRUE(Contains(error([&] { SGD({w}, {.lr = -1}); }), "groups_test.cc"));
}

TEST(BadInput, AGroupThatIsRefusedLeavesNothingBehind) {
  Tensor a = ones({2}).clone().requires_grad_();
  Tensor b = ones({2}).clone().requires_grad_();
  SGD optimizer({a}, {.lr = 1});
  EXPECT_THROW(optimizer.add_param_group({b, a}, {.lr = 1}), Error);
  EXPECT_EQ(optimizer.num_groups(), 1u);
  EXPECT_EQ(optimizer.add_param_group({b}, {.lr = 2}), 1u);
  EXPECT_EQ(optimizer.options(1).lr, 2);
}

TEST(BadInput, AGradientOfAnotherShape) {
  Tensor w = ones({2}).clone().requires_grad_();
  SGD optimizer({w});
  w.set_grad(ones({3}));
  EXPECT_TRUE(Contains(ErrorOf([&] { optimizer.step(); }),
                       "the gradient of parameter \"0\" is f32[3]; wanted "
                       "f32[2]"));
  EXPECT_EQ(w.to_vector<float>(), (Floats{1, 1}));
}

}  // namespace
}  // namespace sluice::optim
