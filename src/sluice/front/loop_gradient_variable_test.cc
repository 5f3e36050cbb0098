// Gradients with respect to variables of a graph that are read inside
// conditionals and loops.
#include "sluice/front/front_test_util.h"

namespace sluice {
namespace {

using Floats = std::vector<float>;

struct Read {
  Graph graph;
  Variable v;
  Tensor gradient;

  // dy/dv of what `program` makes of v = 3.
  explicit Read(const std::function<Tensor(const Variable&)>& program) {
    GraphScope building(graph);
    v = variable(3.0f, "v");
    gradient = grad(program(v), v);
  }
  float Value(ExecutorChoice executor) {
    Session session(graph);
    session.run(initialize_variables(graph));
    RunOptions options;
    options.executor = executor;
    return *session.run(gradient, {}, options).data<float>();
  }
  void ExpectValue(float want) {
    for (ExecutorChoice executor :
         {ExecutorChoice::kAuto, ExecutorChoice::kTape,
          ExecutorChoice::kTokens}) {
      EXPECT_EQ(Value(executor), want);
    }
  }
};

TEST(LoopGradientOfVariable, ReadInsideALoopIsNotMissing) {
  Read read([](const Variable& v) {
    return for_loop(
        3, [&](Tensor, Tensor z) { return z * v.read(); }, constant(1.0f));
  });
  read.ExpectValue(3 * 9);  // of v^3
}

TEST(LoopGradientOfVariable, ReadInsideABranchIsNotMissing) {
  for (bool squared : {true, false}) {
    Read read([&](const Variable& v) {
      return cond(
                 constant(squared), [&] { return v.read() * v.read(); },
                 [&] { return constant(1.0f); }) +
             2 * v.read();
    });
    read.ExpectValue(squared ? 8 : 2);
  }
}

TEST(LoopGradientOfVariable, ReadInLoopsInLoopsAndAround) {
  Read read([](const Variable& v) {
    Tensor inner = for_loop(
        2,
        [&](Tensor, Tensor z) {
          return for_loop(
                     2, [&](Tensor, Tensor y) { return y + v.read(); }, z) *
                 v.read();
        },
        constant(0.0f));
    return inner * v;
  });
  // (2v * v + 2v) * v * v = 2v^4 + 2v^3
  read.ExpectValue(8 * 27 + 6 * 9);
}

TEST(LoopGradientOfVariable, WrittenAfterTheLoopIsReadAsItWas) {
  Graph graph;
  GraphScope building(graph);
  Variable v = variable(3.0f, "v");
  Tensor y = for_loop(
      2, [&](Tensor, Tensor z) { return z * v.read(); }, constant(1.0f));
  Operation step = v.assign_sub(0.5f * grad(y, v));
  Session session(graph);
  session.run(initialize_variables(graph));
  session.run(step);
  EXPECT_EQ(*session.run(v.read()).data<float>(), 0);
  session.run(step);
  EXPECT_EQ(*session.run(v.read()).data<float>(), 0);
}

TEST(LoopGradientOfVariable, WrittenInTheLoopIsAnErrorWithBothLines) {
  std::string text = ErrorOf([] {
    Read([](const Variable& v) {
      return for_loop(
          3,
          [&](Tensor, Tensor z) {
            v.assign_add(1.0f);
            return z * v.read();
          },
          constant(1.0f));
    });
  });
  Contains(text, "\"v\" is read inside what also changes it");
  Contains(text, "wanted it read before, or its value carried by the loop");
  Contains(text, "at loop_gradient_variable_test.cc:");
  Contains(text, "changed at loop_gradient_variable_test.cc:");
}

TEST(LoopGradientOfVariable, AnotherThatIsWrittenInTheLoopIsNoHindrance) {
  Graph graph;
  GraphScope building(graph);
  Variable v = variable(3.0f, "v"), count = variable(0.0f, "count");
  Tensor y = for_loop(
      3,
      [&](Tensor, Tensor z) {
        count.assign_add(1.0f);
        return z + v.read() * count.read();
      },
      constant(0.0f));
  Tensor gradient = grad(y, v);
  Session session(graph);
  session.run(initialize_variables(graph));
  EXPECT_EQ(*session.run(gradient).data<float>(), 6);
}

// A captured function is differentiated twice by running its code again, whose
// gradients may be sparse.
TEST(FunctionGradient, OfTheGradientOfGatheredRows) {
  Tensor table = constant({{1.0f, 2.0f}, {3.0f, 4.0f}}).requires_grad_();
  auto f = function([](Tensor t) {
    Tensor row = gather(t, constant({1}));
    return sum(row * row * row);
  });
  Tensor first = grad(f(table), table, {.create_graph = true, .dense = true});
  Tensor second = grad(sum(first), table, {.dense = true});
  EXPECT_EQ(second.to_vector<float>(), (Floats{0, 0, 18, 24}));
}

}  // namespace
}  // namespace sluice
