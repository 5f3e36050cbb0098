#include "sluice/front/variable.h"

#include "sluice/front/control_flow.h"
#include "sluice/front/front_test_util.h"
#include "sluice/graph/text_parser.h"
#include "sluice/graph/text_printer.h"
#include "sluice/tensor/allocator.h"

namespace sluice {
namespace {

TEST(VariableFace, KeepsItsValueBetweenSteps) {
  Graph graph;
  Operation increase;
  Variable w;
  {
    GraphScope building(graph);
    w = variable({1.0f, 2.0f}, "w");
    increase = w.assign_add({0.5, 0.5});
  }
  Session session(graph);
  session.run(initialize_variables(graph));
  session.run(increase);
  session.run(increase);
  EXPECT_EQ(Elements<float>(session.run(w)), (std::vector<float>{2, 3}));
}

TEST(VariableFace, UsesReadWhereTheyStand) {
  Graph graph;
  Tensor before, after;
  Variable w;
  {
    GraphScope building(graph);
    w = variable(1.0f, "w");
    before = w * 10;
    Operation change = w.assign(5);
    (void)change;
    after = w * 10;
  }
  Session session(graph);
  session.run(initialize_variables(graph));
  Operation assign = find_operation(graph, "Assign");
  std::vector<Array> got = session.run({before, after, w}, {}, {assign});
  EXPECT_EQ(got[0].data<float>()[0], 10);
  EXPECT_EQ(got[1].data<float>()[0], 50);
  EXPECT_EQ(got[2].data<float>()[0], 1);
}

TEST(VariableFace, InitialValuesMayDependOnEachOther) {
  Graph graph;
  GraphScope building(graph);
  auto a = variable(3.0f, "a");
  auto b = variable(a * 2, "b");
  Session session(graph);
  session.run(initialize_variables(graph));
  EXPECT_EQ(session.run(b).data<float>()[0], 6);
}

TEST(VariableFace, OneRowMayStandForAllInAGraphAndAtOnce) {
  auto change = [](const Variable& v) {
    Tensor row = constant({1.0f, 2.0f});
    v.scatter_update(constant({0, 2}, i64), row);
    v.scatter_add(constant({2, 2}, i64), row);
    v.scatter_sub(constant({1}, i64), row);
  };
  Variable now = variable(zeros({3, 2}), "now");
  change(now);
  std::vector<float> want = {1, 2, -1, -2, 3, 6};
  EXPECT_EQ(now.tensor().to_vector<float>(), want);
  Graph graph;
  Tensor after;
  {
    GraphScope building(graph);
    Variable v = variable(zeros({3, 2}), "v");
    after = for_loop(
        1,
        [&](Tensor, Tensor) {
          change(v);
          return v.read();
        },
        zeros({3, 2}));
  }
  Session session(graph);
  session.run(initialize_variables(graph));
  EXPECT_EQ(Elements<float>(session.run(after)), want);
}

// State made inside a loop begins once, before it.
TEST(VariableFace, MadeInsideALoopIsNotMadeAnewInEveryIteration) {
  Graph graph;
  Tensor seen;
  Variable count;
  {
    GraphScope building(graph);
    seen = for_loop(
        5,
        [&](Tensor, Tensor) {
          count = variable(10.0f, "count");
          count.assign_add(1);
          return count.read();
        },
        0.0f);
  }
  Session session(graph);
  session.run(initialize_variables(graph));
  EXPECT_EQ(session.run(seen).data<float>()[0], 15);
  EXPECT_EQ(session.run(seen).data<float>()[0], 20);
}

TEST(VariableFace, AnInitialValueFromInsideALoopIsRefused) {
  Graph graph;
  GraphScope building(graph);
  std::string text = ErrorOf([&] {
    for_loop(
        5,
        [&](Tensor, Tensor x) {
          Tensor next = x + 1;
          return next * variable(next, "w").read();
        },
        0.0f);
  });
  Contains(text, "the initial value of variable \"w\"");
  Contains(text, "computed inside a loop or branch");
  Contains(text, "variable_test.cc:");
}

size_t Count(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != text.npos;
       at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

// Writes to different variables do not part what is computed for them.
TEST(VariableInLoop, WhatIsComputedForSeveralWritesStandsOnOneTape) {
  Graph graph;
  Tensor last;
  {
    GraphScope building(graph);
    Variable a = variable(full({64, 64}, 2.0f), "a");
    Variable b = variable(full({64, 64}, 3.0f), "b");
    last = for_loop(
        3,
        [&](Tensor, Tensor) {
          for (const Variable& v : {a, b}) {
            v.assign(matmul(v, v) * 0.01f);
            v.assign_add(tanh(v.read() + 1.0f));
          }
          return sum(a.read() + b.read());
        },
        0.0f);
  }
  Session session(graph);
  session.run(initialize_variables(graph));
  // One for both products, one for both sums behind them, one for the result.
  std::string text = session.explain(last);
  EXPECT_EQ(Count(text, "tape of"), 3u) << text;
  RunOptions tokens;
  tokens.executor = ExecutorChoice::kTokens;
  float native = session.run(last).data<float>()[0];
  session.run(initialize_variables(graph));
  EXPECT_EQ(session.run(last, {}, tokens).data<float>()[0], native);
}

TEST(VariableInLoop, IsWrittenInPlaceThoughItWasReadBefore) {
  constexpr int64_t kRows = 1 << 16;
  Graph graph;
  Tensor last;
  {
    GraphScope building(graph);
    Variable v = variable(zeros({kRows}), "v");
    last = for_loop(
        50,
        [&](Tensor i, Tensor total) {
          Tensor rows = constant({1, 3, 5, 7}, i64) + i;
          Tensor seen = tanh(gather(v, rows) + 1.0f);
          v.scatter_update(reshape(i, {1}), cast(i, f32));
          return total + sum(seen);
        },
        0.0f);
  }
  Session session(graph);
  session.run(initialize_variables(graph));
  session.run(last);
  int64_t before = HostAllocator().stats().bytes_in_use;
  HostAllocator().ResetPeak();
  session.run(last);
  int64_t peak = HostAllocator().stats().peak_bytes - before;
  EXPECT_LT(peak, kRows) << "a copy is " << kRows * 4;
}

TEST(VariableFace, ReadingBeforeInitialisingIsAnErrorWithTheLine) {
  Graph graph;
  GraphScope building(graph);
  auto w = variable(1.0f, "w");
  int line = __LINE__ - 1;
  Session session(graph);
  std::string error = ErrorOf([&] { session.run(w); });
  Contains(error, "[ReadVariable]");
  Contains(error, "variable_test.cc:" + std::to_string(line));
  EXPECT_FALSE(session.run(w.is_initialized()).data<bool>()[0]);
}

TEST(VariableFace, WrongTypesAndShapesAreRefusedWhileBuilding) {
  Graph graph;
  GraphScope building(graph);
  auto w = variable(zeros({2}), "w");
  std::string error = ErrorOf([&] { w.assign({1.0f, 2.0f, 3.0f}); });
  Contains(error, "[Assign] value is f32[3]; wanted f32[2] as variable \"w\"");
  Contains(error, "variable_test.cc:");
  Contains(ErrorOf([&] { w.assign_add(placeholder(i32, {2})); }),
           "[AssignAdd] value is i32[2]; wanted f32[2]");
  Contains(ErrorOf([&] { w.assign("text"); }), "is no f32");
  auto bare = variable(f32, {2}, "bare");
  Contains(ErrorOf([&] { bare.initializer(); }),
           "\"bare\" was made without an initial value");
}

TEST(VariableFace, InitialisersAreFoundInAGraphReadFromText) {
  Graph graph;
  {
    GraphScope building(graph);
    NameScope layer("layer");
    variable({1.0f, 2.0f}, "w");
    variable(3.0f);  // a name of its own making
    variable(3.0f);
  }
  Result<std::unique_ptr<Graph>> copy = ParseGraph(PrintGraph(graph));
  ASSERT_TRUE(copy.ok()) << copy.status().message();
  Session session(**copy);
  session.run(initialize_variables(**copy));
  EXPECT_EQ(Elements<float>(session.run("layer/w/value")),
            (std::vector<float>{1, 2}));
  EXPECT_EQ(session.run("layer/Variable_1/value").data<float>()[0], 3);
}

TEST(VariablesBehind, AreThoseAValueDependsOn) {
  Graph graph;
  GraphScope building(graph);
  Variable a = variable(1.f, "a"), b = variable(ones({2, 3}), "b");
  Variable other = variable(int64_t{0}, "other");
  Tensor y = sum(b) * 2 + a.read();
  std::vector<Variable> found = variables_behind(y);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].name(), "a");
  EXPECT_EQ(found[1].name(), "b");
  EXPECT_EQ(found[1].shape(), b.shape());
  EXPECT_EQ(found[1].dtype(), DType::kF32);
  EXPECT_EQ(found[1].value().name(), b.value().name());
  EXPECT_TRUE(variables_behind(constant(1)).empty());
  EXPECT_THROW(Variable::OfHandle(y), Error);
}

}  // namespace
}  // namespace sluice
