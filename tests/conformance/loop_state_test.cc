// State in branches and loops: program order, whatever the bound on iterations
// and the number of threads.
#include "tests/conformance/conformance_test_util.h"

namespace sluice {
namespace {

// Runs a graph anew for every executor, bound and number of threads.
void EachSetting(
    const std::function<void(LoopOptions, SessionOptions, RunOptions)>& f) {
  for (int64_t parallel : {1, 4, 32}) {
    SCOPED_TRACE(parallel);
    for (int threads : {1, 2}) {
      EachExecutor([&](const RunOptions& options) {
        f({.parallel_iterations = parallel}, {.threads = threads}, options);
      });
    }
  }
}

TEST(LoopState, UpdatesKeepTheOrderOfIterations) {
  EachSetting([](LoopOptions loop, SessionOptions how, RunOptions options) {
    Graph graph;
    GraphScope building(graph);
    Variable v = variable(constant(1.0), "v");
    Operation init = initialize_variables(graph);
    // Not commutative: any other order gives another number.
    Tensor n = for_loop(
        12,
        [&](Tensor i, Tensor k) {
          v.assign(v.read() * 1.5 + cast(i, f64));
          return k + 1;
        },
        int64_t{0}, loop);
    Session session(graph, how);
    session.run(init);
    session.run(n, {}, options);
    double want = 1;
    for (int i = 0; i < 12; ++i) want = want * 1.5 + i;
    EXPECT_EQ(Item<double>(session.run(v)), want);
  });
}

TEST(LoopState, ReadsSeeWhatWasWrittenBeforeThemAndNoMore) {
  EachSetting([](LoopOptions loop, SessionOptions how, RunOptions options) {
    Graph graph;
    GraphScope building(graph);
    Variable v = variable(constant(2.0f), "v");
    Operation init = initialize_variables(graph);
    Tensor before = v.read();
    Tensor seen = for_loop(
        4,
        [&](Tensor, Tensor all) {
          Tensor old = v.read();
          v.assign(old * old);
          return concat({all, expand_dims(old, 0), expand_dims(v.read(), 0)},
                        {.axis = 0});
        },
        zeros({0}), loop);
    Tensor after = v.read();
    Session session(graph, how);
    session.run(init);
    std::vector<Array> out =
        session.run({before, seen, after}, {}, {}, options);
    EXPECT_EQ(Item(out[0]), 2);
    EXPECT_EQ(Elements<float>(out[1]),
              (std::vector<float>{2, 4, 4, 16, 16, 256, 256, 65536}));
    EXPECT_EQ(Item(out[2]), 65536);
  });
}

TEST(LoopState, TheConditionSeesWhatTheBodyWrote) {
  EachSetting([](LoopOptions loop, SessionOptions how, RunOptions options) {
    Graph graph;
    GraphScope building(graph);
    Variable v = variable(constant(0.0f), "v");
    Operation init = initialize_variables(graph);
    Tensor trips = while_loop([&](Tensor) { return v.read() < 10.0f; },
                              [&](Tensor k) {
                                v.assign_add(3.0f);
                                return k + 1;
                              },
                              int64_t{0}, loop);
    Session session(graph, how);
    session.run(init);
    EXPECT_EQ(Item<int64_t>(session.run(trips, {}, options)), 4);
    EXPECT_EQ(Item<int64_t>(session.run(trips, {}, options)), 0);
    EXPECT_EQ(Item(session.run(v)), 12);
  });
}

TEST(LoopState, TwoLoopsOverOneVariableRunOneAfterTheOther) {
  EachSetting([](LoopOptions loop, SessionOptions how, RunOptions options) {
    Graph graph;
    GraphScope building(graph);
    Variable v = variable(constant(1.0f), "v");
    Operation init = initialize_variables(graph);
    auto repeat = [&](const std::function<void()>& change) {
      return for_loop(
          3,
          [&](Tensor, Tensor k) {
            change();
            return k + 1;
          },
          int64_t{0}, loop);
    };
    Tensor twice = repeat([&] { v.assign(v.read() * 2.0f); });
    Tensor plus = repeat([&] { v.assign_add(1.0f); });
    Session session(graph, how);
    session.run(init);
    session.run({plus, twice}, {}, {}, options);
    EXPECT_EQ(Item(session.run(v)), 11);
  });
}

TEST(LoopState, NestedLoopsAndBranchesWriteInProgramOrder) {
  EachSetting([](LoopOptions loop, SessionOptions how, RunOptions options) {
    Graph graph;
    GraphScope building(graph);
    Variable v = variable(constant(int64_t{0}), "v");
    Operation init = initialize_variables(graph);
    Tensor done = for_loop(
        3,
        [&](Tensor i, Tensor k) {
          v.assign(v.read() * 10 + 8);
          Tensor inner = for_loop(
              i,
              [&](Tensor j, Tensor m) {
                cond(
                    j > 0, [&] { v.assign(v.read() * 10 + 2); },
                    [&] { v.assign(v.read() * 10 + 1); });
                return m + 1;
              },
              int64_t{0}, loop);
          v.assign(v.read() * 10 + 9);
          return k + inner;
        },
        int64_t{0}, loop);
    Session session(graph, how);
    session.run(init);
    session.run(done, {}, options);
    EXPECT_EQ(Item<int64_t>(session.run(v)), 898198129);
  });
}

TEST(LoopState, AnErrorLeavesWhatWasWrittenSoFar) {
  EachSetting([](LoopOptions loop, SessionOptions how, RunOptions options) {
    Graph graph;
    GraphScope building(graph);
    Variable v = variable(constant(0.0f), "v");
    Operation init = initialize_variables(graph);
    Tensor done = for_loop(
        10,
        [&](Tensor i, Tensor k) {
          // Reads what it guards, so it comes between two updates.
          assert_that(v.read() < 7.0f, {}, {.message = "seven is enough"});
          v.assign_add(1.0f);
          return k + i;
        },
        int64_t{0}, loop);
    Session session(graph, how);
    session.run(init);
    std::string text = ErrorOf([&] { session.run(done, {}, options); });
    Contains(text, "seven is enough");
    Contains(text, "in iteration 7 of the loop at ");
    EXPECT_EQ(Item(session.run(v)), 7);
    // The session goes on.
    session.run(init);
    EXPECT_EQ(Item(session.run(v)), 0);
  });
}

TEST(LoopState, RowsOfAVariableAndATable) {
  EachSetting([](LoopOptions loop, SessionOptions how, RunOptions options) {
    Graph graph;
    GraphScope building(graph);
    Variable rows = variable(zeros({4, 2}), "rows");
    Operation init = initialize_variables(graph);
    HashTable table = hash_table(i64, f32);
    Tensor done = for_loop(
        6,
        [&](Tensor i, Tensor k) {
          Tensor row = mod(i, int64_t{4}), at = expand_dims(row, 0);
          Tensor value = cast(i, f32);
          rows.scatter_add(at, fill({1, 2}, value));
          Tensor had = table.find(at, 100.0f);
          table.insert(at, had + value);
          return k + 1;
        },
        int64_t{0}, loop);
    Session session(graph, how);
    session.run(init);
    session.run(done, {}, options);
    EXPECT_EQ(Elements<float>(session.run(rows)),
              (std::vector<float>{4, 4, 6, 6, 2, 2, 3, 3}));
    EXPECT_EQ(Elements<float>(session.run(table.find(
                  {int64_t{0}, int64_t{1}, int64_t{2}, int64_t{3}}, -1.0f))),
              (std::vector<float>{104, 106, 102, 103}));
  });
}

TEST(LoopState, AnUninitialisedVariableMattersOnlyWhereItIsRead) {
  Graph graph;
  GraphScope building(graph);
  Tensor p = Scalar(boolean, "p");
  Variable v = variable(f32, Shape(), "v");
  Tensor y = cond(p, [&] { return v.read(); }, [&] { return constant(1.0f); });
  EachExecutor([&](const RunOptions& options) {
    Session session(graph);
    EXPECT_EQ(Item(session.run(y, {{p, false}}, options)), 1);
    std::string text = ErrorOf([&] { session.run(y, {{p, true}}, options); });
    Contains(text, "[ReadVariable]");
    Contains(text, "loop_state_test.cc:");
  });
}

TEST(LoopState, GradientsReachAccumulatorsFromALoop) {
  EachSetting([](LoopOptions loop, SessionOptions how, RunOptions options) {
    Graph graph;
    GraphScope building(graph);
    Accumulator sums = accumulator(f32, Shape(), "sum");
    Tensor done = for_loop(
        5,
        [&](Tensor i, Tensor k) {
          sums.apply(int64_t{0}, cast(i, f32));
          return k + 1;
        },
        int64_t{0}, loop);
    Tensor count = sums.count(), total = sums.take(5);
    Session session(graph, how);
    session.run(done, {}, options);
    EXPECT_EQ(Item(session.run(cast(count, f32))), 5);
    EXPECT_EQ(Item(session.run(total)), 10);
  });
}

}  // namespace
}  // namespace sluice
