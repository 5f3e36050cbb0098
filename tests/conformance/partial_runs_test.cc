// Steps fed and fetched in several calls, with branches and loops among what
// waits for feeds.
#include "tests/conformance/conformance_test_util.h"

namespace sluice {
namespace {

class PartialRuns : public ::testing::Test {
 protected:
  PartialRuns() {
    GraphScope building(graph_);
    p_ = Scalar(boolean, "p");
    a_ = Scalar(f32, "a");
    b_ = Scalar(f32, "b");
    n_ = Scalar(i64, "n");
    chosen_ = cond(p_, [&] { return a_ * 2.0f; }, [&] { return -a_; });
    looped_ = for_loop(n_, [&](Tensor, Tensor v) { return v + b_; }, chosen_);
    last_ = looped_ * 100.0f;
  }
  Graph graph_{"test"};
  Tensor p_, a_, b_, n_, chosen_, looped_, last_;
};

TEST_F(PartialRuns, BranchesAndLoopsRunWhenTheirFeedsAreThere) {
  Session session(graph_);
  PartialStep step =
      session.partial_run({p_, a_, b_, n_}, {chosen_, looped_, last_});
  EXPECT_TRUE(step.run({}, {{a_, 3}}).empty());
  EXPECT_EQ(Item(step.run({chosen_}, {{p_, true}})[0]), 6);
  Contains(ErrorOf([&] { step.run({looped_}, {{n_, int64_t{2}}}); }),
           "needs a feed that has not been given yet");
  // What one call computed is fed to the next.
  EXPECT_EQ(Item(step.run({looped_}, {{b_, 6}})[0]), 18);
  EXPECT_EQ(Item(step.run({last_})[0]), 1800);
}

TEST_F(PartialRuns, EveryMistakeIsNamedAndChangesNothing) {
  Session session(graph_);
  Contains(ErrorOf([&] { session.partial_run({a_}, {}); }),
           "needs at least one fetch or target");
  PartialStep step = session.partial_run({p_, a_}, {chosen_});
  Contains(ErrorOf([&] { step.run({}); }), "needs a feed or a fetch");
  Contains(ErrorOf([&] { step.run({chosen_}); }), "not been given yet");
  Contains(ErrorOf([&] { step.run({}, {{b_, 1}}); }),
           "was not specified in the partial run's setup");
  Contains(ErrorOf([&] { step.run({last_}); }),
           "was not specified in the partial run's setup");
  Contains(ErrorOf([&] {
             step.run({}, {{p_, Array::Vector<bool>({true, false})}});
           }),
           "\"p\"");
  EXPECT_EQ(Item(step.run({chosen_}, {{p_, false}, {a_, 4}})[0]), -4);
  Contains(ErrorOf([&] { step.run({}, {{a_, 4}}); }), "already been fed");
  Contains(ErrorOf([&] { step.run({chosen_}); }), "already been fetched");
}

TEST_F(PartialRuns, ManyAtOnceKeepTheirOwnLoops) {
  Session session(graph_);
  std::vector<PartialStep> steps;
  for (int i = 0; i < 8; ++i) {
    steps.push_back(session.partial_run({p_, a_, b_, n_}, {chosen_, looped_}));
  }
  for (size_t i = 0; i < steps.size(); ++i) {
    float want = i % 2 ? 2 * static_cast<float>(i) : -static_cast<float>(i);
    EXPECT_EQ(Item(steps[i].run({chosen_}, {{p_, i % 2 == 1},
                                            {a_, static_cast<float>(i)}})[0]),
              want);
  }
  // Finished in another order than begun; two are dropped half-way.
  for (size_t i : {7u, 0u, 3u, 2u, 6u, 1u}) {
    float start = i % 2 ? 2 * static_cast<float>(i) : -static_cast<float>(i);
    EXPECT_EQ(Item(steps[i].run({looped_},
                                {{b_, 1}, {n_, static_cast<int64_t>(i)}})[0]),
              start + static_cast<float>(i));
  }
}

TEST_F(PartialRuns, AnErrorInALoopEndsTheStepNotTheSession) {
  Tensor checked;
  {
    GraphScope building(graph_);
    checked = for_loop(
        n_,
        [](Tensor i, Tensor v) {
          assert_that(i < 3, {}, {.message = "three"});
          return v;
        },
        a_);
  }
  Session session(graph_);
  PartialStep step = session.partial_run({a_, n_, p_}, {checked, chosen_});
  std::string text =
      ErrorOf([&] { step.run({checked}, {{a_, 1}, {n_, int64_t{9}}}); });
  Contains(text, "three");
  Contains(text, "in iteration 3 of the loop at ");
  Contains(ErrorOf([&] { step.run({chosen_}, {{p_, true}}); }), "three");
  EXPECT_EQ(Item(session.run(chosen_, {{p_, true}, {a_, 1}})), 2);
}

TEST_F(PartialRuns, AChainOfTwoHundredConditionals) {
  Graph graph;
  Tensors feeds, fetches;
  {
    GraphScope building(graph);
    Tensor y = constant(0.0f);
    for (int i = 0; i < 200; ++i) {
      Tensor x = placeholder(f32, std::vector<int64_t>{});
      y = cond(x > 0.0f, [&] { return y + x; }, [&] { return y; });
      feeds.push_back(x);
      fetches.push_back(y);
    }
  }
  Session session(graph);
  PartialStep step = session.partial_run({feeds.begin(), feeds.end()},
                                         {fetches.begin(), fetches.end()});
  float want = 0;
  for (size_t i = 0; i < 200; ++i) {
    float x = i % 3 == 0 ? -1.0f : static_cast<float>(i);
    if (x > 0) want += x;
    EXPECT_EQ(Item(step.run({fetches[i]}, {{feeds[i], x}})[0]), want);
  }
}

TEST_F(PartialRuns, ResultsOfABranchMayBeFedInItsPlace) {
  Session session(graph_);
  PartialStep step = session.partial_run({chosen_, b_, n_}, {looped_});
  EXPECT_EQ(
      Item(step.run({looped_}, {{chosen_, 5}, {b_, 2}, {n_, int64_t{3}}})[0]),
      11);
}

TEST_F(PartialRuns, ClosingTheSessionEndsThem) {
  Session session(graph_);
  PartialStep step = session.partial_run({p_, a_}, {chosen_});
  session.close();
  EXPECT_EQ(CodeOf([&] { step.run({chosen_}, {{p_, true}, {a_, 1}}); }),
            Code::kCancelled);
}

}  // namespace
}  // namespace sluice
