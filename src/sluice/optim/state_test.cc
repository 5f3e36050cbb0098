// The state of optimizers: what its keys are, and that it comes back.
#include "sluice/optim/optim_test_util.h"

namespace sluice::optim {
namespace {

void Step(Optimizer& optimizer, const Tensor& w, int t) {
  w.set_grad(TensorOf<float>({2, 2}, Gradient(4, t)));
  optimizer.step();
}

StateDict Copy(const StateDict& state) {
  StateDict copy;
  for (const auto& [key, tensor] : state) copy.set(key, tensor.clone());
  return copy;
}

TEST(State, HasStableKeys) {
  Tensor a = ones({2, 2}).clone().requires_grad_();
  Tensor b = ones({2, 2}).clone().requires_grad_();
  Adam named({{"fc1.weight", a}, {"fc1.bias", b}}, {.lr = 0.5});
  Step(named, a, 1);
  StateDict state = named.state_dict();
  std::vector<std::string> keys;
  for (const auto& [key, tensor] : state) keys.push_back(key);
  EXPECT_EQ(keys, (std::vector<std::string>{"groups.0.lr", "groups.0.step",
                                            "fc1.weight.exp_avg",
                                            "fc1.weight.exp_avg_sq"}));
  EXPECT_EQ(state.at("groups.0.lr").item<double>(), 0.5);
  EXPECT_EQ(state.at("groups.0.step").item<int64_t>(), 1);
}

TEST(State, TakenBackGoesOnAsIfNothingHappened) {
  for (const Case& c : AllCases()) {
    SCOPED_TRACE(c.name);
    Tensor a = TensorOf<float>({2, 2}, Start(4)).requires_grad_();
    auto first = c.with({a});
    for (int t = 1; t <= 3; ++t) Step(*first, a, t);
    StateDict saved = Copy(first->state_dict());
    Tensor b = a.detach().clone().requires_grad_();
    for (int t = 4; t <= 6; ++t) Step(*first, a, t);
    auto second = c.with({b});
    second->load_state_dict(saved);
    for (int t = 4; t <= 6; ++t) Step(*second, b, t);
    EXPECT_EQ(a.to_vector<float>(), b.to_vector<float>());
    // Into one that has gone elsewhere, too.
    for (int t = 7; t <= 9; ++t) Step(*first, a, t);
    Step(*second, b, 20);
    second->load_state_dict(Copy(first->state_dict()));
    {
      NoGrad off;
      b.copy_(a);
    }
    Step(*first, a, 10);
    Step(*second, b, 10);
    EXPECT_EQ(a.to_vector<float>(), b.to_vector<float>());
  }
}

// A plan that was recorded before sees what was loaded after.
TEST(State, LoadedIsSeenByRecordedPlans) {
  Tensor w = zeros({2}).clone().requires_grad_();
  Momentum optimizer({w}, {.lr = 1, .momentum = 1});
  auto step = function([&](Tensor g) {
    optimizer.zero_grad();
    sum(w * g).backward();
    optimizer.step();
  });
  step(ones({2}));
  StateDict state = Copy(optimizer.state_dict());
  state.set("0.momentum_buffer", constant({10.f, 20.f}));
  optimizer.load_state_dict(state);
  step(ones({2}));
  EXPECT_EQ(w.to_vector<float>(), (Floats{-12, -22}));
  EXPECT_EQ(step.traces().size(), 1u);
}

TEST(State, ThatDoesNotFitIsRefusedAndChangesNothing) {
  Tensor w = ones({2, 2}).clone().requires_grad_();
  Adam optimizer({w});
  Step(optimizer, w, 1);
  StateDict before = Copy(optimizer.state_dict()), bad;
  bad.set("groups.0.lr", constant(0.75));
  bad.set("0.exp_avg", ones({3}));
  bad.set("0.more", ones({3}));
  std::string error = ErrorOf([&] { optimizer.load_state_dict(bad); });
  EXPECT_TRUE(Contains(error, "missing: groups.0.step"));
  EXPECT_TRUE(Contains(error, "missing: 0.exp_avg_sq"));
  EXPECT_TRUE(Contains(error, "0.exp_avg is f32[3]; wanted f32[2,2]"));
  EXPECT_TRUE(Contains(error, "left over: 0.more"));
  for (const auto& [key, tensor] : optimizer.state_dict()) {
    EXPECT_EQ(tensor.clone().ToString(), before.at(key).ToString()) << key;
  }
}

TEST(State, OfOtherParametersBeginsAnew) {
  Tensor a = ones({2, 2}).clone().requires_grad_();
  Tensor b = ones({2, 2}).clone().requires_grad_();
  Adagrad optimizer({a, b}, {.initial_accumulator_value = 0.5});
  StateDict early = Copy(optimizer.state_dict());
  Step(optimizer, a, 1);
  optimizer.load_state_dict(early);
  EXPECT_EQ(optimizer.state_dict().at("0.sum").to_vector<float>(),
            Floats(4, 0.5f));
  EXPECT_EQ(optimizer.step_variable().tensor().item<int64_t>(), 0);
  EXPECT_FALSE(optimizer.state_dict().contains("1.sum"));
}

TEST(State, OfAGraphIsFetched) {
  Graph graph;
  StateDict state;
  Operation train;
  {
    GraphScope building(graph);
    Variable w = variable(ones({2}), "w");
    Adam optimizer(0.5);
    train = optimizer.minimize(sum(w * 3));
    state = optimizer.state_dict();
    EXPECT_TRUE(Contains(ErrorOf([&] { optimizer.load_state_dict(state); }),
                         "its state is in the sessions"));
  }
  Session session(graph);
  session.run(initialize_variables(graph));
  session.run(train);
  session.run(train);
  EXPECT_EQ(Elements<int64_t>(session.run(state.at("groups.0.step")))[0], 2);
  EXPECT_NEAR(Elements<float>(session.run(state.at("w.exp_avg")))[1], 0.57,
              1e-6);
}

}  // namespace
}  // namespace sluice::optim
