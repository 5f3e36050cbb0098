#include "sluice/front/session.h"

#include <thread>

#include "sluice/front/front_test_util.h"

namespace sluice {
namespace {

class SessionFace : public ::testing::Test {
 protected:
  SessionFace() {
    GraphScope building(graph_);
    x_ = placeholder(f32, {any}, "x");
    y_ = x_ * 2;
    z_ = y_ + 1;
  }
  Graph graph_{"test"};
  Tensor x_, y_, z_;
};

TEST_F(SessionFace, FetchesOneValueOrSeveral) {
  Session session(graph_);
  EXPECT_EQ(Elements<float>(session.run(z_, {{x_, {1, 2}}})),
            (std::vector<float>{3, 5}));
  std::vector<Array> both = session.run({y_, z_}, {{x_, {1, 2}}});
  EXPECT_EQ(Elements<float>(both[0]), (std::vector<float>{2, 4}));
  std::vector<Array> one = session.run({z_}, {{x_, {1}}});
  ASSERT_EQ(one.size(), 1u);
}

TEST_F(SessionFace, NamesServeInPlaceOfHandles) {
  Session session(graph_);
  EXPECT_EQ(Elements<float>(session.run("Add", {{"x:0", {1, 2}}})),
            (std::vector<float>{3, 5}));
  Contains(ErrorOf([&] { session.run("nothing"); }), "\"nothing\"");
}

TEST_F(SessionFace, AnyEdgeMayBeFed) {
  Session session(graph_);
  EXPECT_EQ(Elements<float>(session.run(z_, {{y_, {10, 20}}})),
            (std::vector<float>{11, 21}));
}

TEST_F(SessionFace, WrongFeedsSayWhatWasWanted) {
  Session session(graph_);
  Contains(ErrorOf([&] { session.run(z_); }), "\"x\"");
  Contains(ErrorOf([&] { session.run(z_, {{x_, {"a"}}}); }),
           "the feed of \"x\" is string[1]; wanted f32[?]");
  Contains(ErrorOf([&] { session.run(z_, {{x_, 1}}); }),
           "the feed of \"x\" is f32[]; wanted f32[?]");
  Contains(ErrorOf([&] { session.run(z_, {{x_, Array()}}); }), "is empty");
  Contains(ErrorOf([&] { session.run(Tensor()); }), "holds nothing");
  Contains(ErrorOf([&] { session.run(Operation()); }), "holds nothing");
}

TEST_F(SessionFace, ValuesOfAnotherGraphAreRefused) {
  Graph other("other");
  GraphScope building(other);
  Tensor foreign = placeholder(f32, {}, "foreign");
  Session session(graph_);
  Contains(ErrorOf([&] { session.run(foreign); }),
           "\"foreign\" belongs to graph \"other\"; wanted a value of the "
           "session's, \"test\"");
  Contains(ErrorOf([&] { session.run(foreign.operation()); }),
           "belongs to graph \"other\"");
}

TEST_F(SessionFace, ErrorsWhileRunningNameTheLine) {
  Graph graph;
  GraphScope building(graph);
  Tensor a = placeholder(f32, {any}, "a"), b = placeholder(f32, {any}, "b");
  Tensor sum = a + b;
  int line = __LINE__ - 1;
  Session session(graph);
  std::string error =
      ErrorOf([&] { session.run(sum, {{a, {1, 2}}, {b, {1, 2, 3}}}); });
  Contains(error, "[Add] shapes do not broadcast: a is f32[2], b is f32[3]");
  Contains(error, "session_test.cc:" + std::to_string(line));
}

TEST_F(SessionFace, TheGraphMayGrowAfterwards) {
  Session session(graph_);
  session.run(z_, {{x_, {1}}});
  Tensor more = z_ * 100;
  EXPECT_EQ(session.run(more, {{x_, {1}}}).data<float>()[0], 300);
}

TEST_F(SessionFace, PreparedCallsTakeFeedsInOrder) {
  Session session(graph_);
  Callable twice = session.prepare({z_, y_}, {x_});
  for (float v : {1.0f, 2.0f}) {
    std::vector<Array> got = twice({Array::Vector<float>({v})});
    EXPECT_EQ(got[0].data<float>()[0], 2 * v + 1);
    EXPECT_EQ(got[1].data<float>()[0], 2 * v);
  }
  Contains(ErrorOf([&] { twice({}); }), "takes 1 feeds, got 0");
  Contains(ErrorOf([] { Callable()(); }), "holds nothing");
}

TEST(SessionPartial, FeedsComeOneByOne) {
  Graph graph;
  GraphScope building(graph);
  Tensor a = placeholder(f32, {}, "a"), b = placeholder(f32, {}, "b");
  Tensor twice = a * 2, sum = twice + b;
  Session session(graph);
  PartialStep step = session.partial_run({a, b}, {twice, sum});
  EXPECT_EQ(step.run({twice}, {{a, 3}})[0].data<float>()[0], 6);
  Contains(ErrorOf([&] { step.run({sum}); }), "has not been given yet");
  EXPECT_EQ(step.run({sum}, {{b, 4}})[0].data<float>()[0], 10);
  Contains(ErrorOf([&] { step.run({sum}, {{b, 4}}); }), "already");
}

TEST_F(SessionFace, ExplainsItsPlan) {
  Session session(graph_);
  Contains(session.explain(z_, {{x_, {1, 2}}}), "plan of graph");
}

TEST_F(SessionFace, TracesOnRequest) {
  Session session(graph_);
  RunMetadata metadata;
  session.run(z_, {{x_, {1, 2}}}, {.trace = true}, &metadata);
  EXPECT_FALSE(metadata.rows.empty());
  Contains(metadata.chrome_trace, "traceEvents");
}

TEST_F(SessionFace, ClosedSessionsRefuse) {
  Session session(graph_);
  session.close();
  Contains(ErrorOf([&] { session.run(z_, {{x_, {1}}}); }), "closed");
}

TEST(SessionState, IsSharedOnlyWhenAsked) {
  Graph graph;
  GraphScope building(graph);
  auto w = variable(1.0f, "w");
  auto more = w.assign_add(1);
  Session first(graph), apart(graph), shared(graph, first);
  first.run(initialize_variables(graph));
  apart.run(initialize_variables(graph));
  shared.run(more);
  EXPECT_EQ(first.run(w).data<float>()[0], 2);
  EXPECT_EQ(apart.run(w).data<float>()[0], 1);
  first.reset();
  Contains(ErrorOf([&] { shared.run(w); }), "[ReadVariable]");
}

TEST(SessionThreads, AnyNumberOfRunsAtOnce) {
  Graph graph;
  GraphScope building(graph);
  auto count = variable(int64_t{0}, "count");
  auto more = count.assign_add(1);
  Session session(graph, {.threads = 2});
  session.run(initialize_variables(graph));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 100; ++i) session.run(more);
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(session.run(count).data<int64_t>()[0], 400);
  Contains(ErrorOf([&] { Session bad(graph, {.threads = -1}); }),
           "threads is -1");
}

TEST(SessionFeeds, ImperativeTensorsAreFedAsTheyAre) {
  Graph graph;
  Tensor x, y;
  {
    GraphScope building(graph);
    x = placeholder(f32, {any}, "x");
    y = x * 2;
  }
  Session session(graph);
  Tensor given = constant({1.5f, 2.5f});
  EXPECT_EQ(Elements<float>(session.run(y, {{x, given}})),
            (std::vector<float>{3, 5}));
  Contains(ErrorOf([&] { session.run(y, {{x, y}}); }), "part of a graph");
}

TEST(SessionNanTrap, NamesTheFirstOp) {
  Graph graph;
  Tensor x, y, z;
  {
    GraphScope building(graph);
    x = placeholder(f32, {any}, "x");
    y = log(x, "y");
    z = sum(y * 2 - y, {}, "z");
  }
  Session session(graph);
  session.run(z, {{x, {1, 0}}});  // goes through
  std::string text =
      ErrorOf([&] { session.run(z, {{x, {1, 0}}}, {.nan_trap = true}); });
  Contains(text, "[Log] element 1 of the result is -inf (1 of 2 are not");
  Contains(text, "x is f32[2] from 0 to 1");
  Contains(text, "session_test.cc:");
  NanTrap trap;
  Contains(ErrorOf([&] { session.run(z, {{x, {1, 0}}}); }), "[Log]");
  EXPECT_EQ(session.run(z, {{x, {1, 1}}}).data<float>()[0], 0);
}

}  // namespace
}  // namespace sluice
