// What is inside a branch or a loop cannot be reached from outside: not as an
// operand, not as a fetch, not as a feed. And errors say where they were made.
#include "tests/conformance/conformance_test_util.h"

namespace sluice {
namespace {

class Inside : public ::testing::Test {
 protected:
  Inside() {
    GraphScope building(graph_);
    p_ = Scalar(boolean, "p");
    x_ = Scalar(f32, "x");
    y_ = cond(p_, [&] { return in_branch_ = x_ * 2.0f; }, [&] { return x_; });
    z_ = while_loop([](Tensor v) { return v < 100.0f; },
                    [&](Tensor v) { return in_loop_ = v * v; }, y_ + 2.0f);
  }
  Graph graph_{"test"};
  Tensor p_, x_, y_, z_, in_branch_, in_loop_;
};

TEST_F(Inside, ValuesCannotBeUsedOutside) {
  GraphScope building(graph_);
  Contains(ErrorOf([&] { in_branch_ + 1.0f; }),
           "was made in the region \"then\" of If \"cond\" at ");
  Contains(ErrorOf([&] { in_loop_ + 1.0f; }),
           "was made in the region \"body\" of While \"while_loop\" at ");
}

TEST_F(Inside, ValuesOfOneBranchCannotBeUsedInTheOther) {
  GraphScope building(graph_);
  Tensor made;
  Contains(
      ErrorOf([&] {
        cond(p_, [&] { return made = x_ + 1.0f; }, [&] { return made + 1.0f; });
      }),
      "was made in the region \"then\" of If ");
  // And not handed on either.
  Contains(ErrorOf([&] {
             cond(p_, [&] { return made = x_ + 1.0f; }, [&] { return made; });
           }),
           "wanted a value made here or around here");
}

TEST_F(Inside, ValuesOfOneLoopCannotBeUsedInTheNext) {
  GraphScope building(graph_);
  Contains(ErrorOf([&] {
             while_loop([&](Tensor v) { return v < in_loop_; },
                        [](Tensor v) { return v + 1.0f; }, x_);
           }),
           "was made in the region \"body\" of While ");
}

TEST_F(Inside, ValuesCannotBeFetched) {
  EachExecutor([&](const RunOptions& options) {
    Session session(graph_);
    for (const Tensor& t : {in_branch_, in_loop_}) {
      std::string text =
          ErrorOf([&] { session.run(t, {{p_, true}, {x_, 1}}, options); });
      Contains(text, "\" is inside the region \"");
      Contains(text, "wanted it among the results of the ");
      Contains(text, "inside_test.cc:");
    }
    EXPECT_EQ(Item(session.run(z_, {{p_, true}, {x_, 1}}, options)), 256);
  });
}

TEST_F(Inside, ValuesCannotBeFed) {
  EachExecutor([&](const RunOptions& options) {
    Session session(graph_);
    for (const Tensor& t : {in_branch_, in_loop_}) {
      std::string text = ErrorOf(
          [&] { session.run(z_, {{p_, true}, {x_, 1}, {t, 5}}, options); });
      Contains(text, "\" is inside the region \"");
      Contains(text, "inside_test.cc:");
    }
  });
}

TEST_F(Inside, OperationsCannotBeTargets) {
  Session session(graph_);
  Contains(ErrorOf([&] {
             session.run(in_branch_.operation(), {{p_, true}, {x_, 1}});
           }),
           "is inside the region \"then\" of If \"cond\" at ");
}

TEST_F(Inside, ResultsCanBeFedAndFetched) {
  EachExecutor([&](const RunOptions& options) {
    Session session(graph_);
    // Fed, the conditional does not run: p is not needed.
    EXPECT_EQ(Item(session.run(z_, {{y_, 2}}, options)), 256);
    EXPECT_EQ(Item(session.run(y_, {{p_, true}, {x_, 4}}, options)), 8);
    EXPECT_EQ(Item(session.run(z_ + 1.0f, {{z_, 1}}, options)), 2);
  });
}

TEST_F(Inside, ATensorThatHoldsNothingIsRefusedByName) {
  GraphScope building(graph_);
  Contains(
      ErrorOf([&] { cond(Tensor(), [&] { return x_; }, [&] { return x_; }); }),
      "holds nothing");
  Contains(
      ErrorOf([&] { cond(p_, [&] { return x_; }, [&] { return Tensor(); }); }),
      "[cond] a result is a Tensor that holds nothing");
  Contains(ErrorOf([&] {
             while_loop([](Tensor v) { return v > 0.0f; },
                        [](Tensor) { return Tensor(); }, x_);
           }),
           "[while_loop] a result is a Tensor that holds nothing");
  Contains(ErrorOf([&] {
             while_loop([](Tensor v) { return v > 0.0f; },
                        [](Tensor v) { return v; }, Tensor());
           }),
           "holds nothing");
}

TEST_F(Inside, CodeThatThrowsLeavesTheGraphAsItWas) {
  GraphScope building(graph_);
  int nodes = graph_.num_nodes();
  struct Mine {};
  EXPECT_THROW(
      cond(
          p_, [&] { return x_ + 1.0f; }, [&]() -> Tensor { throw Mine(); }),
      Mine);
  EXPECT_THROW(while_loop([](Tensor v) { return v > 0.0f; },
                          [](Tensor) -> Tensor { throw Mine(); }, x_),
               Mine);
  EXPECT_THROW(map_fn([](Tensor) -> Tensor { throw Mine(); }, stack({x_, x_})),
               Mine);
  EXPECT_LE(graph_.num_nodes(), nodes + 2);  // the stack and its like
  // What is recorded next is in the open graph, not in a region left behind.
  Tensor after = x_ + 5.0f;
  EXPECT_EQ(Item(Session(graph_).run(after, {{x_, 1}})), 6);
}

TEST_F(Inside, AValueOfAnotherGraphIsRefused) {
  Graph other("other");
  Tensor foreign;
  {
    GraphScope building(other);
    foreign = Scalar(f32, "foreign");
  }
  GraphScope building(graph_);
  Contains(
      ErrorOf([&] { cond(p_, [&] { return x_; }, [&] { return foreign; }); }),
      "foreign");
  Contains(ErrorOf([&] {
             while_loop([](Tensor v) { return v > 0.0f; },
                        [&](Tensor v) { return v + foreign; }, x_);
           }),
           "foreign");
}

}  // namespace
}  // namespace sluice
