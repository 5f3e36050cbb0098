#include "sluice/front/stack.h"

#include "sluice/front/front_test_util.h"

namespace sluice {
namespace {

using Floats = std::vector<float>;

TEST(StackFace, TheLastInIsTheFirstOut) {
  Stack stack(f32);
  stack.push(1.f);
  Tensor x = constant({2.f, 3.f});
  EXPECT_EQ(stack.push(x).to_vector<float>(), (Floats{2, 3}));
  x.add_(10.f);
  EXPECT_EQ(stack.pop().to_vector<float>(), (Floats{2, 3})) << "as pushed";
  EXPECT_EQ(stack.pop().item<float>(), 1);
}

TEST(StackFace, SaysWhatIsWrong) {
  Stack stack(f32, {.max_size = 1, .label = "s"});
  Contains(ErrorOf([&] { (void)stack.pop(); }),
           "[StackPop] stack \"s\" is empty; wanted a value pushed before");
  Contains(ErrorOf([&] { (void)stack.push(constant(1)); }),
           "[StackPush] the value is i32[]; wanted f32 as stack \"s\" holds");
  stack.push(1.f);
  std::string full = ErrorOf([&] { (void)stack.push(2.f); });
  Contains(full,
           "[StackPush] stack \"s\" holds 1 values and is full; wanted at most "
           "1");
  Contains(full, "stack_test.cc:");
  stack.close();
  Contains(ErrorOf([&] { (void)stack.push(1.f); }),
           "[StackPush] stack \"s\" is closed");
  Contains(ErrorOf([&] { (void)stack.pop(); }),
           "[StackPop] stack \"s\" is closed");
  stack.close();
}

TEST(StackFace, TwoOfOneLabelAreTwo) {
  Stack a(f32, {.label = "s"}), b(f32, {.label = "s"});
  a.push(1.f);
  b.push(2.f);
  EXPECT_EQ(a.pop().item<float>(), 1);
  EXPECT_EQ(b.pop().item<float>(), 2);
}

TEST(StackFace, WorksInACapturedFunction) {
  auto turn = function([](Tensor x, Tensor y) {
    Stack s(f32, {.shape = Shape()});
    s.push(x);
    s.push(y);
    return std::vector<Tensor>{s.pop(), s.pop()};
  });
  for (int i = 0; i < 2; ++i) {
    auto out = turn(constant(1.f), constant(2.f));
    EXPECT_EQ(out[0].item<float>(), 2);
    EXPECT_EQ(out[1].item<float>(), 1);
  }
}

class StackInGraphs : public ::testing::TestWithParam<ExecutorChoice> {
 protected:
  Array Run(Session& session, const Tensor& fetch, const Feeds& feeds = {}) {
    RunOptions options;
    options.executor = GetParam();
    return session.run(std::vector<Fetch>{fetch}, feeds, {}, options)[0];
  }
};

TEST_P(StackInGraphs, EveryStepHasItsOwnInProgramOrder) {
  Graph graph;
  GraphScope building(graph);
  Tensor x = placeholder(f32, Shape(), "x");
  Stack a(f32, {.shape = Shape(), .label = "s"}), b(f32, {.label = "s"});
  std::vector<Tensor> pushed{a.push(x), a.push(x + 1.f), b.push(x * 10.f)};
  Tensor first = a.pop(), second = a.pop(), other = b.pop();
  EXPECT_EQ(first.shape(), PartialShape::Scalar());
  Tensor all = stack({first, second, other, pushed[0], pushed[1], pushed[2]});
  Session session(graph);
  for (float v : {1.f, 5.f}) {
    EXPECT_EQ(Elements<float>(Run(session, all, {{x, v}})),
              (Floats{v + 1, v, 10 * v, v, v + 1, 10 * v}));
  }
}

TEST_P(StackInGraphs, NothingIsLeftForTheNextStep) {
  Graph graph;
  GraphScope building(graph);
  Stack s(f32);
  Tensor pushed = s.push(1.f), popped;
  {
    ControlScope after({pushed.operation()});
    popped = s.pop();
  }
  Tensor again = s.pop();
  Session session(graph);
  Run(session, pushed);
  Contains(ErrorOf([&] { Run(session, again); }), "the stack is empty");
  EXPECT_EQ(Elements<float>(Run(session, popped))[0], 1);
}

// Pushed in one loop, popped in another: the way back of a loop.
TEST_P(StackInGraphs, CarriesValuesFromOneLoopToAnother) {
  Graph graph;
  GraphScope building(graph);
  Tensor n = placeholder(i64, Shape(), "n");
  Stack s(i64, {.shape = Shape()});
  auto [i, sum] = while_loop(
      [&](Tensor k, Tensor) { return k < n; },
      [&](Tensor k, Tensor t) { return std::tuple(k + 1, t + s.push(k)); },
      int64_t{0}, int64_t{0});
  auto [j, digits] = while_loop(
      [](Tensor k, Tensor) { return k > 0; },
      [&](Tensor k, Tensor d) { return std::tuple(k - 1, d * 10 + s.pop()); },
      i + sum * 0, int64_t{0});
  Session session(graph);
  EXPECT_EQ(Elements<int64_t>(Run(session, digits, {{n, 5}}))[0], 43210);
  EXPECT_EQ(Elements<int64_t>(Run(session, digits, {{n, 0}}))[0], 0);
}

INSTANTIATE_TEST_SUITE_P(Executors, StackInGraphs,
                         ::testing::Values(ExecutorChoice::kAuto,
                                           ExecutorChoice::kTape,
                                           ExecutorChoice::kTokens));

}  // namespace
}  // namespace sluice
