#include "sluice/front/debug.h"

#include "sluice/front/front_test_util.h"

namespace sluice {
namespace {

float At(const Array& a, int64_t i = 0) {
  return Elements<float>(a)[static_cast<size_t>(i)];
}

// x doubled and the loop's number added, n times; inside, an inner loop.
struct Loops {
  Loops() {
    GraphScope scope(graph);
    n = placeholder(DType::kI64, Shape());
    x = placeholder(DType::kF32, Shape());
    y = for_loop(n,
                 [&](const Tensor& i, const Tensor& v) {
                   Tensor inner =
                       for_loop(i,
                                [&](const Tensor& j, const Tensor& w) {
                                  return call("Add", {w, cast(j, DType::kF32)},
                                              {}, {.name = "inner_sum"})[0];
                                },
                                v, {.name = "inner"});
                   doubled_line = __LINE__ + 1;
                   return call("Mul", {inner, 2.0f}, {},
                               {.name = "doubled"})[0];
                 },
                 x, {.name = "outer"});
  }
  Feeds feeds(int64_t count, float start) const {
    return {{n, Array::Scalar<int64_t>(count)}, {x, Array::Scalar(start)}};
  }

  Graph graph;
  Tensor n, x, y;
  int doubled_line = 0;
};

TEST(Debug, GivesWhatARunGives) {
  Loops loops;
  Session session(loops.graph);
  Array want = session.run(loops.y, loops.feeds(4, 1));
  DebugResult got = run_debug(session, {loops.y}, loops.feeds(4, 1));
  ASSERT_EQ(got.fetches.size(), 1u) << got.error;
  EXPECT_TRUE(got.fetches[0].BitEquals(want));
  EXPECT_FALSE(got.stopped);
  EXPECT_EQ(got.error, "");
  EXPECT_EQ(got.trace, "");
}

TEST(Debug, ValuesOfEveryIterationCanBeFetched) {
  Loops loops;
  Session session(loops.graph);
  DebugOptions options;
  options.watches = {"doubled", "inner_sum"};
  DebugResult got = run_debug(session, {loops.y}, loops.feeds(4, 1), options);
  // 1 -> 2 -> (2 + 0) * 2 = 4 -> (4 + 0 + 1) * 2 = 10 -> (10 + 3) * 2 = 26
  EXPECT_EQ(At(got.fetches[0]), 26);
  EXPECT_EQ(At(got.fetch("doubled", {0})), 2);
  EXPECT_EQ(At(got.fetch("doubled", {2})), 10);
  EXPECT_EQ(At(got.fetch("doubled", {3})), 26);
  EXPECT_EQ(At(got.fetch("inner_sum", {3, 0})), 10);
  EXPECT_EQ(At(got.fetch("inner_sum", {3, 2})), 13);
  EXPECT_EQ(got.seen("doubled")->size(), 4u);
  EXPECT_EQ(got.seen("inner_sum")->size(), 6u);
  Contains(ErrorOf([&] { got.fetch("doubled", {4}); }),
           "\"doubled\" was not computed in iterations {4}; it was computed 4 "
           "times, last in {3}");
  Contains(ErrorOf([&] { got.fetch("inner_sum", {3}); }), "last in {3, 2}");
  Contains(ErrorOf([&] { got.fetch("Cast"); }), "\"Cast\" was not watched");
  options.watches = {"tripled"};
  Contains(ErrorOf([&] {
             run_debug(session, {loops.y}, loops.feeds(1, 1), options);
           }),
           "no value \"tripled\" in graph");
  options.watches = {"inner_sum"};
  options.max_watched = 2;
  got = run_debug(session, {loops.y}, loops.feeds(4, 1), options);
  EXPECT_EQ(got.seen("inner_sum")->size(), 2u);
}

TEST(Debug, BreakpointsByNameOpAndLine) {
  Loops loops;
  Session session(loops.graph);
  DebugOptions options;
  options.breakpoints.push_back(
      {.node = "doubled",
       .condition = [](const DebugEvent& e) { return At(e.inputs[0]) > 4; }});
  DebugResult got = run_debug(session, {loops.y}, loops.feeds(9, 1), options);
  EXPECT_TRUE(got.fetches.empty());
  ASSERT_TRUE(got.stopped);
  EXPECT_EQ(got.error, "");
  EXPECT_EQ(got.stopped->op, "Mul");
  ASSERT_EQ(got.stopped->places.size(), 1u);
  EXPECT_EQ(got.stopped->places[0].name, "outer");
  EXPECT_EQ(got.stopped->places[0].iteration, 2);
  Contains(got.stopped->ToString(), "doubled = Mul at debug_test.cc:");
  Contains(got.stopped->ToString(),
           ", iteration 2 of \"outer\": f32[] 5, f32[] 2");

  std::string line = "debug_test.cc:" + std::to_string(loops.doubled_line);
  int hits = 0;
  options.breakpoints = {
      {.op = "Mul", .line = line, .action = [&](const auto&) {
         ++hits;
         return DebugAction::kGoOn;
       }}};
  got = run_debug(session, {loops.y}, loops.feeds(3, 1), options);
  EXPECT_EQ(hits, 3);
  EXPECT_EQ(got.fetches.size(), 1u);
}

TEST(Debug, EveryStepCanBeSeenAndStopped) {
  Loops loops;
  Session session(loops.graph);
  std::vector<std::string> nodes;
  DebugOptions options;
  options.on_step = [&](const DebugEvent& e) {
    nodes.push_back(e.node);
    return e.node == "inner_sum" ? DebugAction::kStop : DebugAction::kGoOn;
  };
  DebugResult got = run_debug(session, {loops.y}, loops.feeds(3, 1), options);
  EXPECT_EQ(nodes.back(), "inner_sum");
  EXPECT_EQ(std::count(nodes.begin(), nodes.end(), "doubled"), 1);
  ASSERT_TRUE(got.stopped);
  ASSERT_EQ(got.stopped->places.size(), 2u);
  EXPECT_EQ(got.stopped->places[0].iteration, 1);
  EXPECT_EQ(got.stopped->places[1].name, "inner");
  EXPECT_EQ(At(got.stopped->outputs[0]), 2);
}

TEST(Debug, TheTraceShowsIterationsAndIsBounded) {
  Graph graph;
  GraphScope scope(graph);
  Tensor y = while_loop([](const Tensor& v) { return v < 3.0f; },
                        [](const Tensor& v) {
                          return call("Add", {v, 1.0f}, {}, {.name = "sum"})[0];
                        },
                        constant(1.0f), {.name = "loop"});
  Session session(graph);
  DebugOptions options;
  options.max_trace_lines = 100;
  DebugResult got = run_debug(session, {y}, {}, options);
  std::string text;  // constants left out
  for (size_t at = 0; at < got.trace.size();) {
    size_t end = got.trace.find('\n', at);
    std::string line = got.trace.substr(at, end - at);
    if (line.find("Const") == line.npos) text += line + "\n";
    at = end + 1;
  }
  EXPECT_EQ(text,
            "iteration 0 of loop\n"
            "  Less = Less -> true\n"
            "  sum = Add -> 2\n"
            "iteration 1 of loop\n"
            "  Less = Less -> true\n"
            "  sum = Add -> 3\n"
            "iteration 2 of loop\n"
            "  Less = Less -> false\n"
            "loop = While -> 3\n");
  options.max_trace_lines = 3;
  got = run_debug(session, {y}, {}, options);
  EXPECT_EQ(std::count(got.trace.begin(), got.trace.end(), '\n'), 4);
  Contains(got.trace, " lines more\n");
}

TEST(Debug, AnErrorIsKeptWithItsPlace) {
  Graph graph;
  GraphScope scope(graph);
  Tensor y = for_loop(
      10,
      [](const Tensor& i, const Tensor& v) {
        Tensor ok = less(i, int64_t{7});
        return call("Assert", {ok, v}, {{"message", "too far"}}), v + 1.0f;
      },
      constant(0.0f), {.name = "loop"});
  Session session(graph);
  DebugOptions options;
  options.watches = {"Add"};
  DebugResult got = run_debug(session, {y}, {}, options);
  EXPECT_TRUE(got.fetches.empty());
  Contains(got.error, "too far: 7");
  Contains(got.error, "in iteration 7 of the loop");
  ASSERT_TRUE(got.stopped);
  EXPECT_EQ(got.stopped->op, "Assert");
  EXPECT_EQ(got.stopped->places[0].iteration, 7);
}

TEST(Debug, VariablesAndRandomNumbersAreTheSessions) {
  Graph graph;
  GraphScope scope(graph);
  Variable v = variable(Array::Scalar(1.0f), "v");
  Tensor draw = random_uniform({2});
  Operation add = v.assign_add(2.0f);
  Session session(graph);
  session.run(initialize_variables(graph));
  run_debug(session, {}, {}, {}, {add});
  EXPECT_EQ(At(session.run(v.read())), 3);
  DebugOptions options;
  options.run.random = RandomState{5, 17};
  RunOptions run;
  run.random = RandomState{5, 17};
  Array want = session.run(draw, {}, run);
  EXPECT_TRUE(
      run_debug(session, {draw}, {}, options).fetches[0].BitEquals(want));
}

TEST(Debug, RawFramesAndTheDead) {
  Graph graph;
  GraphScope scope(graph);
  Tensor limit = raw::enter(3, "count", {.constant = true});
  Tensor one = raw::enter(1, "count", {.constant = true});
  raw::Merged i = raw::loop_merge(raw::enter(0, "count"));
  Tensor p = raw::loop_cond(i.value < limit);
  auto [done, go] = raw::switch_(i.value, p);
  Tensor next = call("Add", {go, one}, {}, {.name = "next"})[0];
  raw::set_next(i.value, raw::next_iteration(next));
  Tensor y = raw::exit(done);
  Session session(graph);
  DebugOptions options;
  options.watches = {"next"};
  options.max_trace_lines = 200;
  DebugResult got = run_debug(session, {y}, {}, options);
  EXPECT_EQ(got.error, "");
  EXPECT_EQ(Elements<int32_t>(got.fetch("next", {1}))[0], 2);
  Contains(ErrorOf([&] { got.fetch("next", {3}); }),
           "\"next\" is dead in iterations {3}");
  Contains(got.trace, "iteration 2 of count\n");
  Contains(got.trace, "next = Add -> dead\n");
}

TEST(Debug, AnEndlessLoopObeysItsDeadline) {
  Graph graph;
  GraphScope scope(graph);
  Tensor y = while_loop([](const Tensor& v) { return equal(v, v); },
                        [](const Tensor& v) { return v; }, constant(1.0f));
  Session session(graph);
  DebugOptions options;
  options.run.timeout_ms = 20;
  Contains(run_debug(session, {y}, {}, options).error,
           "the step did not end within its deadline of 20 ms");
}

}  // namespace
}  // namespace sluice
