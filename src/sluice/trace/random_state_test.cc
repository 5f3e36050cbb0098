// Random numbers continue from a saved position, in imperative code, in
// captured functions and in sessions.
#include "sluice/front/front_test_util.h"

namespace sluice {
namespace {

using Floats = std::vector<float>;

Floats Draw() { return random_uniform({4}).to_vector<float>(); }
Tensor Dropped(const Tensor& x) { return dropout(x, {.rate = 0.5}).y; }

TEST(RandomState, ImperativeCallsGoOn) {
  manual_seed(11);
  Draw();
  RandomState place = random_state();
  EXPECT_EQ(place, (RandomState{11, 1}));
  Floats next = Draw(), after = Draw();
  EXPECT_NE(next, after);
  manual_seed(5);
  EXPECT_NE(Draw(), next);
  set_random_state(place);
  EXPECT_EQ(Draw(), next);
  EXPECT_EQ(Draw(), after);
}

TEST(RandomState, CapturedFunctionsGoOn) {
  auto make = [] {
    return function([](Tensor x) { return Dropped(x) + random_uniform({64}); });
  };
  Tensor x = ones({64});
  manual_seed(11);
  auto f = make();
  Floats first = f(x).to_vector<float>();
  RandomState place = random_state();
  Floats second = f(x).to_vector<float>(), third = f(x).to_vector<float>();
  EXPECT_NE(first, second);
  EXPECT_NE(second, third);
  // A new process would have a new function, and calls in between.
  auto g = make();
  g(x);
  set_random_state(place);
  EXPECT_EQ(g(x).to_vector<float>(), second);
  EXPECT_EQ(g(x).to_vector<float>(), third);
  manual_seed(11);
  EXPECT_EQ(g(x).to_vector<float>(), first);
  manual_seed(12);
  EXPECT_NE(g(x).to_vector<float>(), first);
}

// As many draws as the code makes, inside and outside a loop.
TEST(RandomState, CapturedFunctionsDrawWhatTheirCodeDraws) {
  auto code = [](Tensor x) {
    Tensor y = Dropped(x) + random_uniform({64});
    auto [i, sum] =
        while_loop([](Tensor i, Tensor) { return i < 3; },
                   [](Tensor i, Tensor sum) {
                     return std::tuple(i + 1, sum + random_uniform({64}));
                   },
                   int64_t{0}, y);
    return Dropped(sum);
  };
  auto draws = [&](auto f) {
    manual_seed(9);
    Floats all = Draw();
    for (int k = 0; k < 2; ++k) {
      Floats given = f(ones({64})).template to_vector<float>(), one = Draw();
      all.insert(all.end(), given.begin(), given.end());
      all.insert(all.end(), one.begin(), one.end());
    }
    return all;
  };
  EXPECT_EQ(draws(function(code)), draws(code));
  EXPECT_EQ(random_state(), (RandomState{9, 15}));
}

TEST(RandomState, FunctionsThatDrawNothingTakeNoPlace) {
  auto f = function([](Tensor x) { return x * 2; });
  manual_seed(1);
  f(ones({2}));
  EXPECT_EQ(random_state().calls, 0);
}

// Once the gradient ran the function again with the numbers of another step.
TEST(RandomState, TheGradientOfACapturedFunctionDrewOtherNumbers) {
  auto f = function([](Tensor x) { return Dropped(x); });
  Tensor x = ones({256}).clone().requires_grad_();
  for (int i = 0; i < 3; ++i) {
    x.zero_grad();
    Tensor y = f(x);
    f(x);  // calls in between do not matter
    sum(y).backward();
    EXPECT_EQ(x.grad().to_vector<float>(), y.to_vector<float>());
  }
}

TEST(RandomState, ASecondGradientThroughRandomCodeDrawsTheSame) {
  auto f = function([](Tensor x) { return Dropped(x) * x; });
  Tensor x = ones({64}).clone().requires_grad_();
  Tensor y = f(x);
  Tensor first = grad(sum(y), x, {.create_graph = true});
  Tensor second = grad(sum(first), x);
  Floats doubled = y.to_vector<float>();
  for (float& v : doubled) v *= 2;
  EXPECT_EQ(first.to_vector<float>(), doubled);
  EXPECT_EQ(second.to_vector<float>(), doubled);
}

TEST(RandomState, RecomputedFunctionsDrawTheSame) {
  auto f = function([](Tensor x) { return Dropped(x); });
  TensorFn twice = checkpoint([&](const std::vector<Tensor>& xs) {
    return std::vector<Tensor>{f(xs[0]) * xs[0]};
  });
  Tensor x = ones({256}).clone().requires_grad_();
  Tensor y = twice({x})[0];
  sum(y).backward();
  Floats doubled = y.to_vector<float>();
  for (float& v : doubled) v *= 2;
  EXPECT_EQ(x.grad().to_vector<float>(), doubled);
}

TEST(RandomState, SessionsGoOn) {
  Graph graph;
  Tensor draw;
  {
    GraphScope building(graph);
    draw = random_uniform({4});
  }
  Session session(graph, {.seed = 3});
  session.run(draw);
  RandomState place = session.random_state();
  EXPECT_EQ(place.seed, 3u);
  Array second = session.run(draw), third = session.run(draw);
  EXPECT_FALSE(second.BitEquals(third));
  Session again(graph);
  again.run(draw);
  again.set_random_state(place);
  EXPECT_TRUE(again.run(draw).BitEquals(second));
  EXPECT_TRUE(again.run(draw).BitEquals(third));
}

}  // namespace
}  // namespace sluice
