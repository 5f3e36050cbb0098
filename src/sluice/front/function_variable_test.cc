// Variables imperatively, and those that captured functions make.
#include <gtest/gtest.h>

#include "sluice/front/front_test_util.h"
#include "sluice/sluice.h"

namespace sluice {
namespace {

using Floats = std::vector<float>;

TEST(ImperativeVariable, IsATensorOfItsOwn) {
  Tensor start = constant({1.f, 2.f});
  Variable w = variable(start, "w");
  EXPECT_FALSE(w.symbolic());
  EXPECT_EQ(w.name(), "w");
  EXPECT_TRUE(w.tensor().requires_grad());
  EXPECT_FALSE(variable({1, 2}).tensor().requires_grad());
  EXPECT_FALSE(w.assign_sub({0.5f, 0.5f}));
  EXPECT_EQ((w * 2).to_vector<float>(), (Floats{1, 3}));
  EXPECT_EQ(start.to_vector<float>(), (Floats{1, 2}));
  w.assign({5.f, 6.f});
  w.assign_add(w.read());
  EXPECT_EQ(w.tensor().to_vector<float>(), (Floats{10, 12}));
}

TEST(ImperativeVariable, ChangesOfRowsLeaveTheRest) {
  Variable w = variable({{1.f, 1.f}, {2.f, 2.f}, {3.f, 3.f}});
  w.scatter_add({0}, {{10.f, 20.f}});
  w.scatter_sub({1}, {{1.f, 0.f}});
  w.scatter_update({2, 2}, {{7.f, 7.f}, {8.f, 9.f}});
  EXPECT_EQ(w.tensor().to_vector<float>(), (Floats{11, 21, 1, 2, 8, 9}));
}

TEST(ImperativeVariable, ReadsAsTheSameTextInAGraph) {
  auto text = [] {
    Variable w = variable({{1.f, 2.f}, {3.f, 4.f}}, "w");
    Tensor loss = sum(w * w);
    Tensor g = grad(loss, w);
    return std::pair(w, w.scatter_sub({1}, 0.5f * gather(g, constant({1}))));
  };
  Variable at_once = text().first;
  Graph graph;
  Variable later;
  Operation change;
  {
    GraphScope building(graph);
    std::tie(later, change) = text();
  }
  Session session(graph);
  session.run(initialize_variables(graph));
  session.run(change);
  EXPECT_EQ(Elements<float>(session.run(later)),
            at_once.tensor().to_vector<float>());
  EXPECT_EQ(at_once.tensor().to_vector<float>(), (Floats{1, 2, 0, 0}));
}

TEST(ImperativeVariable, RefusesValuesThatDoNotFit) {
  Variable w = variable({1.f, 2.f}, "w");
  Contains(ErrorOf([&] { w.assign({1.f, 2.f, 3.f}); }),
           "[Assign] value is f32[3]; wanted f32[2] as variable \"w\"");
  Contains(ErrorOf([&] { w.initializer(); }), "is imperative");
  Contains(ErrorOf([&] { variable(f32, {2}, "v"); }), "has no initial value");
  Contains(ErrorOf([&] { Variable().tensor(); }), "holds nothing");
}

TEST(FunctionVariable, IsMadeOnceForAllTraces) {
  manual_seed(5);
  Tensor first;
  int recorded = 0;
  auto f = function([&](Tensor x) {
    ++recorded;
    Variable w = variable(2 * random_uniform({3}) - 1, "w");
    first = w.tensor();
    Variable count = variable(0, "count");
    count.assign_add(1);
    return std::tuple(x * w, count.read());
  });
  auto [y, n] = f(ones({3}));
  Tensor made = first;
  manual_seed(5);
  Tensor drawn = 2 * random_uniform({3}) - 1;
  EXPECT_EQ(y.to_vector<float>(), drawn.to_vector<float>())
      << "the initial value is what the code gives imperatively";
  EXPECT_EQ(n.item<int32_t>(), 1);
  f(ones({3}));
  auto [z, m] = f(ones({2, 3}));  // another trace, the same variables
  EXPECT_EQ(recorded, 2);
  EXPECT_EQ(m.item<int32_t>(), 3);
  EXPECT_EQ(z[0].to_vector<float>(), drawn.to_vector<float>());
  EXPECT_EQ(first.eager(), made.eager());
}

TEST(FunctionVariable, MadeBehindAGuardServesTheProgramToo) {
  Variable w;
  auto step = function([&](Tensor x) {
    if (!w.defined()) w = variable(ones({2}), "w");
    Tensor loss = sum(x * w);
    w.tensor().zero_grad();
    loss.backward();
    w.assign_sub(0.5f * w.tensor().grad());
    return loss;
  });
  EXPECT_EQ(step(constant({1.f, 2.f})).item<float>(), 3);
  EXPECT_EQ(w.tensor().to_vector<float>(), (Floats{0.5, 0}));
  EXPECT_EQ(step(constant({1.f, 2.f})).item<float>(), 0.5);
  EXPECT_EQ(w.tensor().grad().to_vector<float>(), (Floats{1, 2}));
}

TEST(FunctionVariable, OneLineMayMakeSeveral) {
  auto f = function([&](Tensor x) {
    for (int i = 0; i < 3; ++i) x = x + variable(static_cast<float>(i));
    return x;
  });
  EXPECT_EQ(f(constant(1.f)).item<float>(), 4);
  EXPECT_EQ(f(constant({1.f})).item<float>(), 4);
}

TEST(FunctionVariable, IsTheSameUnderANanTrapAndInGradients) {
  auto f = function([&](Tensor x) {
    Variable w = variable(random_normal({2}), "w");
    return sum(w * x * x);
  });
  Tensor x = constant({1.f, 3.f}).clone();
  x.requires_grad_();
  float value = f(x).item<float>();
  {
    NanTrap trap;
    EXPECT_EQ(f(x).item<float>(), value);
  }
  Tensor first = grad(f(x), x, {.create_graph = true});
  Tensor second = grad(sum(first), x);
  EXPECT_FLOAT_EQ((first / (2 * x)).to_vector<float>()[1],
                  second.to_vector<float>()[1] / 2);
}

TEST(FunctionVariable, MayStartFromWhatWasCaptured) {
  Tensor around = constant({1.f, 2.f}).clone();
  auto f = function([&](Tensor x) {
    Variable w = variable(around * 10, "w");
    return x + w;
  });
  EXPECT_EQ(f(zeros({2})).to_vector<float>(), (Floats{10, 20}));
  around.mul_(2);
  EXPECT_EQ(f(zeros({2})).to_vector<float>(), (Floats{10, 20}));
}

TEST(FunctionVariable, CannotStartFromAnArgument) {
  auto f = function([&](Tensor x) { return x * variable(x * 2, "w"); });
  std::string text = ErrorOf([&] { f(ones({2})); });
  Contains(text, "the initial value of variable \"w\" depends on the");
  Contains(text, "argument \"arg_0\"");
  Contains(text, "function_variable_test.cc:");
}

TEST(FunctionVariable, KeepsItsType) {
  bool wide = false;
  auto f = function(
      [&](Tensor x) { return x + variable(zeros({wide ? 3 : 1}), "w"); });
  f(ones({3}));
  wide = true;
  Contains(ErrorOf([&] { f(ones({2, 3})); }),
           "variable \"w\" is f32[3]; when this line made it, it was f32[1]");
}

TEST(ImperativeScope, RunsAtOnceWhileAFunctionIsRecorded) {
  Tensor made;
  auto f = function([&](Tensor x) {
    {
      ImperativeScope now;
      made = ones({2}) * 3;
    }
    return x + made;
  });
  EXPECT_EQ(f(ones({2})).to_vector<float>(), (Floats{4, 4}));
  EXPECT_EQ(made.to_vector<float>(), (Floats{3, 3}));
}

}  // namespace
}  // namespace sluice
