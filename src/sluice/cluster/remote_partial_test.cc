// Steps over tasks in parts, and the explanations of a session over tasks.
#include "sluice/cluster/remote_partial.h"

#include <gtest/gtest.h>

#include "sluice/base/strings.h"
#include "sluice/cluster/cluster_test_util.h"

namespace sluice::cluster {
namespace {

using Results = Result<std::vector<Array>>;

// y depends on a, z on both; a variable counts the runs of the step.
const char* const kTwoParts =
    R"(graph g(%a: f32[], %b: f32[?]) -> (%y, %z, %n) {
    %v = Variable [shape = [], dtype = f32, shared_name = "count"]
        on "/job:worker/task:1"
    %one = Const [value = 1 : f32[]]
    %c = AssignAdd(%v, %one) on "/job:worker/task:1"
    %n = ReadVariable(%v) [dtype = f32] after %c on "/job:worker/task:1"
    %y = Mul(%a, %a) on "/job:worker/task:1"
    %s = Sum(%b) [axes = {0}] on "/job:worker/task:0"
    %z = Add(%y, %s) on "/job:worker/task:1"
  })";

const char* const kZero = R"(graph g() -> (%r) {
    %v = Variable [shape = [], dtype = f32, shared_name = "count"]
        on "/job:worker/task:1"
    %zero = Const [value = 0 : f32[]]
    %a = Assign(%v, %zero) on "/job:worker/task:1"
    %r = ReadVariable(%v) [dtype = f32] after %a on "/job:worker/task:1"
  })";

float Only(const Results& results) {
  EXPECT_TRUE(results.ok()) << results.status().ToString();
  return results.ok() ? *(*results)[0].data<float>() : -1;
}

class RemotePartial : public testing::Test {
 protected:
  void SetUp() override {
    cluster_ = StartCluster(2);
    ASSERT_TRUE(cluster_);
    ASSERT_TRUE(Client(kZero, *cluster_).Run({}).ok());
    client_.emplace(kTwoParts, *cluster_);
    const Region& root = client_->graph().root();
    a_ = root.arg(0);
    b_ = root.arg(1);
    y_ = root.results()[0];
    z_ = root.results()[1];
    n_ = root.results()[2];
  }
  std::unique_ptr<PartialRun> Begin() {
    auto run = client_->master()->Partial(std::vector{a_, b_},
                                          std::vector{y_, z_, n_}, {});
    EXPECT_TRUE(run.ok()) << run.status().ToString();
    return run.ok() ? *std::move(run) : nullptr;
  }
  static Array Row(float x) { return Array::Of<float>(Shape({2}), {x, x}); }

  std::unique_ptr<LocalCluster> cluster_;
  std::optional<Client> client_;
  Value a_, b_, y_, z_, n_;
};

TEST_F(RemotePartial, IsOneStepHoweverManyCallsThereAre) {
  for (int i = 1; i <= 3; ++i) {
    auto run = Begin();
    ASSERT_TRUE(run);
    EXPECT_EQ(Only(run->Run({{y_}}, {{a_, Array::Scalar(3.f)}})), 9);
    EXPECT_EQ(Only(run->Run({{z_}}, {{b_, Row(2)}})), 13);
    EXPECT_EQ(Only(run->Run({{n_}}, {})), i) << "it ran once";
  }
  EXPECT_EQ(GaugeOf(*cluster_, 0, "master_prepared"), 4)
      << "the step and its three calls, which later ones used again";
  client_.reset();
  ExpectNothingLeft(*cluster_, {0, 1});
}

// Left in its queue, it would block the feed of the next step.
TEST_F(RemotePartial, AFeedThatNothingNeedsIsTakenAllTheSame) {
  for (int i = 0; i < 3; ++i) {
    auto run =
        client_->master()->Partial(std::vector{a_, b_}, std::vector{y_}, {});
    ASSERT_TRUE(run.ok()) << run.status().ToString();
    EXPECT_TRUE((*run)->Run({}, {{b_, Row(2)}}).ok());
    EXPECT_EQ(Only((*run)->Run({{y_}}, {{a_, Array::Scalar(3.f)}})), 9);
  }
}

TEST_F(RemotePartial, RefusesWhatOneProcessRefuses) {
  auto run = Begin();
  ASSERT_TRUE(run);
  Results got = run->Run({{z_}}, {{a_, Array::Scalar(3.f)}});
  ASSERT_FALSE(got.ok());
  EXPECT_EQ(got.status().code(), Code::kFailedPrecondition);
  EXPECT_NE(got.status().message().find("needs a feed that has not been given"),
            std::string::npos)
      << got.status().message();
  EXPECT_EQ(run->Run({}, {}).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(run->Run({}, {{a_, Row(1)}}).status().code(),
            Code::kInvalidArgument);
  // Refused calls had no effect.
  EXPECT_EQ(Only(run->Run({{y_}}, {{a_, Array::Scalar(2.f)}})), 4);
  EXPECT_EQ(run->Run({{y_}}, {}).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(run->Run({}, {{a_, Array::Scalar(2.f)}}).status().code(),
            Code::kInvalidArgument);
  EXPECT_EQ(run->Run({{a_}}, {}).status().code(), Code::kNotFound);
  EXPECT_EQ(Only(run->Run({{z_}}, {{b_, Row(1)}})), 6);
}

TEST_F(RemotePartial, OneThatIsDroppedLeavesNothing) {
  for (int i = 0; i < 3; ++i) {
    auto run = Begin();
    ASSERT_TRUE(run);
    EXPECT_EQ(Only(run->Run({{y_}}, {{a_, Array::Scalar(3.f)}})), 9);
  }
  ExpectNoStepLeft(*cluster_, {0, 1});
  WaitForGauge(*cluster_, 0, "calls_total", 1);
  EXPECT_EQ(GaugeOf(*cluster_, 0, "worker_running"), 0);
  // Other steps are not affected by failed ones.
  auto first = Begin(), second = Begin();
  ASSERT_TRUE(first && second);
  EXPECT_EQ(Only(first->Run({{y_}}, {{a_, Array::Scalar(3.f)}})), 9);
  EXPECT_EQ(Only(second->Run({{y_}}, {{a_, Array::Scalar(4.f)}})), 16);
  first = nullptr;
  EXPECT_EQ(Only(second->Run({{z_}}, {{b_, Row(1)}})), 18);
}

TEST_F(RemotePartial, AnErrorOfTheStepEndsTheCallThatWaits) {
  const char* const kFails = R"(graph g(%x: f32[2], %i: i64[]) -> (%y) {
    %z = Gather(%x, %i) on "/job:worker/task:1"
    %y = Neg(%z) on "/job:worker/task:0"
  })";
  Client client(kFails, *cluster_);
  const Region& root = client.graph().root();
  auto run = client.master()->Partial(std::vector{root.arg(0), root.arg(1)},
                                      root.results(), {});
  ASSERT_TRUE(run.ok()) << run.status().ToString();
  ASSERT_TRUE((*run)->Run({}, {{root.arg(0), Row(1)}}).ok());
  for (int k = 0; k < 2; ++k) {
    FeedList feeds;
    if (k == 0) feeds = {{root.arg(1), Array::Scalar<int64_t>(7)}};
    Results got = (*run)->Run(root.results(), feeds);
    ASSERT_FALSE(got.ok());
    EXPECT_NE(got.status().message().find("[Gather]"), std::string::npos)
        << got.status().message();
  }
}

TEST_F(RemotePartial, AKilledTaskEndsTheCallThatWaits) {
  auto run = Begin();
  ASSERT_TRUE(run);
  EXPECT_EQ(Only(run->Run({{n_}}, {})), 1);
  cluster_->Kill(1);
  Results got = run->Run({{y_}}, {{a_, Array::Scalar(3.f)}});
  ASSERT_FALSE(got.ok());
  EXPECT_NE(got.status().message().find("/job:worker/task:1"),
            std::string::npos)
      << got.status().message();
}

TEST_F(RemotePartial, ExplainTellsTaskReasonAndBytes) {
  Result<std::string> text = client_->master()->Explain(
      std::vector{z_, n_}, {{a_, Array::Scalar(1.f)}, {b_, Row(1)}}, {},
      ExecutorChoice::kAuto);
  ASSERT_TRUE(text.ok()) << text.status().ToString();
  for (const char* part :
       {"over 2 tasks, led by /job:worker/task:0",
        "s = Sum f32[]: its device is \"/job:worker/task:0\"",
        "sends s f32[], 4 bytes, to /job:worker/task:1",
        "receives edge0.recv f32[], 4 bytes, from /job:worker/task:0",
        "sends 1 tensor, 4 bytes in a step",
        "sends 0 tensors, 0 bytes in a step"}) {
    EXPECT_NE(text->find(part), std::string::npos) << part << "\n" << *text;
  }
}

}  // namespace
}  // namespace sluice::cluster
