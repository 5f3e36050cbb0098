#include "sluice/session/local_master.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "sluice/base/strings.h"
#include "sluice/op/record.h"
#include "sluice/session/partial_run.h"

namespace sluice {
namespace {

// A step that waits until it is cancelled, and then asks this session.
std::atomic<LocalMaster*> asked{nullptr};
std::atomic<bool> waits{false};

void WaitUntilCancelled(AsyncContext& ctx) {
  Cancellation* cancellation = ctx.step().cancellation;
  Cancellation::Token token;
  bool registered = cancellation->Register(&token, [&ctx, cancellation] {
    asked.load()->Close();
    ctx.Done(cancellation->status());
  });
  if (!registered) return ctx.Done(cancellation->status());
  waits = true;
}

SL_OP(TestWaitUntilCancelled)
    .doc("Done when its step is cancelled.")
    .input("x: f32")
    .output("y: f32")
    .shape(shapes::same_as_first)
    .cpu_async(WaitUntilCancelled)
    .stateful();

class LocalMasterTest : public testing::Test {
 protected:
  Value Add(std::string_view op, std::vector<Value> inputs, Attrs attrs = {},
            std::string name = "") {
    NodeOptions options;
    options.name = std::move(name);
    MutexLock lock(graph_.mu());
    auto node = graph_.Add(graph_.root(), op, inputs, attrs, options);
    EXPECT_TRUE(node.ok()) << node.status().ToString();
    return Value{*node, 0};
  }
  Value Placeholder(DType dtype, PartialShape shape, std::string name) {
    return Add("Placeholder", {}, {{"dtype", dtype}, {"shape", shape}},
               std::move(name));
  }
  Value Scalar(float v) {
    return Add("Const", {}, {{"value", Array::Scalar(v)}});
  }
  float Fetch(LocalMaster& master, Value v, const FeedList& feeds = {}) {
    auto got = master.Run(std::vector<Value>{v}, feeds, {});
    EXPECT_TRUE(got.ok()) << got.status().ToString();
    return got.ok() ? (*got)[0].data<float>()[0] : -1;
  }

  Graph graph_;
};

TEST_F(LocalMasterTest, FeedAnyEdgeFetchAnyEdge) {
  Value x = Placeholder(DType::kF32, PartialShape::Scalar(), "x");
  Value a = Add("Mul", {x, Scalar(2)}), b = Add("Add", {a, Scalar(1)});
  LocalMaster master(graph_);
  FeedList feeds = {{x, Array::Scalar(5.0f)}};
  EXPECT_EQ(Fetch(master, b, feeds), 11);
  EXPECT_EQ(Fetch(master, a, feeds), 10);
  EXPECT_EQ(Fetch(master, x, feeds), 5);
  // Feeding a cuts x off: it need not be fed.
  EXPECT_EQ(Fetch(master, b, {{a, Array::Scalar(7.0f)}}), 8);
}

TEST_F(LocalMasterTest, AnUnfedPlaceholderIsAnErrorThatNamesIt) {
  Value x = Placeholder(DType::kF32, PartialShape::Scalar(), "pixels");
  LocalMaster master(graph_);
  auto got = master.Run(std::vector<Value>{Add("Neg", {x})}, {}, {});
  ASSERT_FALSE(got.ok());
  EXPECT_NE(got.status().message().find("pixels"), std::string::npos)
      << got.status().message();
}

TEST_F(LocalMasterTest, WrongFeedsAreRefusedWithGotAndWanted) {
  Value x = Placeholder(DType::kF32, PartialShape{any, 3}, "x");
  Value y = Add("Neg", {x});
  LocalMaster master(graph_);
  auto message = [&](FeedList feeds) {
    auto got = master.Run(std::vector<Value>{y}, feeds, {});
    return got.ok() ? "" : got.status().message();
  };
  EXPECT_EQ(message({{x, Array::Zeros(DType::kF32, {2, 4})}}),
            "the feed of \"x\" is f32[2,4]; wanted f32[?,3]");
  EXPECT_EQ(message({{x, Array::Zeros(DType::kI32, {2, 3})}}),
            "the feed of \"x\" is i32[2,3]; wanted f32[?,3]");
  EXPECT_NE(message({{x, Array()}}).find("is empty"), std::string::npos);
  Graph other;
  Value stranger =
      (*other.Add(other.root(), "Const", {}, {{"value", Array::Scalar(1.0f)}}))
          ->output();
  EXPECT_NE(message({{stranger, Array::Scalar(1.0f)}}), "");
  EXPECT_NE(message({{Value{}, Array::Scalar(1.0f)}}), "");
  EXPECT_EQ(message({{x, Array::Zeros(DType::kF32, {2, 3})}}), "");
}

TEST_F(LocalMasterTest, PlansAreCachedAndSurviveGrowth) {
  Value x = Placeholder(DType::kF32, PartialShape::Scalar(), "x");
  Value y = Add("Neg", {x});
  LocalMaster master(graph_);
  FeedList feeds = {{x, Array::Scalar(1.0f)}};
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Fetch(master, y, feeds), -1);
  EXPECT_EQ(master.num_programs(), 1u);
  Value z = Add("Mul", {y, y});
  EXPECT_EQ(Fetch(master, z, feeds), 1);
  EXPECT_EQ(Fetch(master, y, feeds), -1);
  EXPECT_EQ(master.num_programs(), 2u);
}

TEST_F(LocalMasterTest, ManyFeedShapesRunRightWhateverIsPlanned) {
  Value x = Placeholder(DType::kF32, PartialShape{any}, "x");
  Value y = Add("Sum", {Add("Mul", {x, x})});
  LocalMaster master(graph_);
  for (int round = 0; round < 3; ++round) {
    for (int64_t n = 0; n < 25; ++n) {
      Array a = *Array::Make(DType::kF32, Shape({n}));
      for (int64_t i = 0; i < n; ++i) a.mutable_data<float>()[i] = 2;
      EXPECT_EQ(Fetch(master, y, {{x, a}}), static_cast<float>(4 * n));
    }
  }
}

TEST_F(LocalMasterTest, VariablesLiveBetweenStepsAndInContainers) {
  Attrs attrs = {{"dtype", DType::kF32},
                 {"shape", PartialShape::Scalar()},
                 {"container", "weights"},
                 {"shared_name", "w"}};
  Value w = Add("Variable", {}, attrs);
  Value read = Add("ReadVariable", {w},
                   {{"dtype", DType::kF32}, {"shape", PartialShape::Scalar()}});
  Node* init = Add("Assign", {w, Scalar(3)}).node;
  Node* more = Add("AssignAdd", {w, Scalar(2)}).node;
  LocalMaster master(graph_);
  auto uninitialised = master.Run(std::vector<Value>{read}, {}, {});
  ASSERT_FALSE(uninitialised.ok());
  EXPECT_EQ(uninitialised.status().code(), Code::kFailedPrecondition);
  ASSERT_TRUE(master.Run({}, {}, std::vector<Node*>{init}).ok());
  for (int i = 0; i < 4; ++i)
    ASSERT_TRUE(master.Run({}, {}, std::vector<Node*>{more}).ok());
  EXPECT_EQ(Fetch(master, read), 11);
  master.resources().Reset("weights");
  EXPECT_FALSE(master.Run(std::vector<Value>{read}, {}, {}).ok());
  ASSERT_TRUE(master.Run({}, {}, std::vector<Node*>{init}).ok());
  EXPECT_EQ(Fetch(master, read), 3);
}

TEST_F(LocalMasterTest, ConcurrentStepsLoseNoUpdate) {
  Attrs attrs = {{"dtype", DType::kF32}, {"shape", PartialShape::Scalar()}};
  Value w = Add("Variable", {}, attrs);
  Value read = Add("ReadVariable", {w},
                   {{"dtype", DType::kF32}, {"shape", PartialShape::Scalar()}});
  Node* init = Add("Assign", {w, Scalar(0)}).node;
  Node* more = Add("AssignAdd", {w, Scalar(1)}).node;
  LocalMaster master(graph_);
  ASSERT_TRUE(master.Run({}, {}, std::vector<Node*>{init}).ok());
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 250; ++i) {
        Status status = master.Run({}, {}, std::vector<Node*>{more}).status();
        EXPECT_TRUE(status.ok()) << status.ToString();
      }
    });
  }
  for (auto& t : threads) t.join();
  EXPECT_EQ(Fetch(master, read), 1000);
}

TEST_F(LocalMasterTest, QueuesBlockOneStepUntilAnotherFeedsThem) {
  Value q = Add("FifoQueue", {},
                {{"capacity", 2}, {"dtypes", std::vector<DType>{DType::kF32}}});
  Value x = Placeholder(DType::kF32, PartialShape::Scalar(), "x");
  Node* enqueue = Add("Enqueue", {q, x}).node;
  Value out =
      Add("Dequeue", {q}, {{"dtypes", std::vector<DType>{DType::kF32}}});
  LocalMaster master(graph_);
  std::vector<float> got;
  std::thread consumer([&] {
    for (int i = 0; i < 100; ++i) got.push_back(Fetch(master, out));
  });
  for (int i = 0; i < 100; ++i) {
    FeedList feeds = {{x, Array::Scalar(static_cast<float>(i))}};
    ASSERT_TRUE(master.Run({}, feeds, std::vector<Node*>{enqueue}).ok());
  }
  consumer.join();
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(got[static_cast<size_t>(i)], static_cast<float>(i));
}

TEST_F(LocalMasterTest, AnIslandNeverWaitsForWhatWaitsForIt) {
  // One step sends b away and needs d, which another step makes of b. Mul, Neg
  // and Add are neighbours behind one asynchronous op (so only what they wait
  // for tells them apart); as one island they would wait for each other.
  std::vector<DType> f32s = {DType::kF32};
  std::vector<PartialShape> scalars = {PartialShape::Scalar()};
  Attrs queue = {{"capacity", 2}, {"dtypes", f32s}, {"shapes", scalars}};
  Attrs dequeue = {{"dtypes", f32s}, {"shapes", scalars}};
  Value q = Add("FifoQueue", {}, queue, "q");
  Value p = Add("FifoQueue", {}, queue, "p");
  Value x = Placeholder(DType::kF32, PartialShape::Scalar(), "x");
  Value late = Add("Sleep", {x}, {{"micros", int64_t{1}}});
  Value b = Add("Neg", {Add("Mul", {late, late})});
  Node* send = Add("Enqueue", {q, b}).node;
  Value d = Add("Dequeue", {p}, dequeue);
  Value sum = Add("Neg", {Add("Add", {b, d})});
  Value got = Add("Dequeue", {q}, dequeue);
  Node* reply = Add("Enqueue", {p, Add("Mul", {got, Scalar(10)})}).node;
  LocalMaster master(graph_);
  std::thread other([&] {
    Status status = master.Run({}, {}, std::vector<Node*>{reply}).status();
    EXPECT_TRUE(status.ok()) << status.ToString();
  });
  auto result = master.Run(std::vector<Value>{sum}, {{x, Array::Scalar(3.0f)}},
                           std::vector<Node*>{send});
  if (!result.ok()) master.Close();
  other.join();
  ASSERT_TRUE(result.ok()) << result.status().ToString();
  EXPECT_EQ((*result)[0].data<float>()[0], 99);
}

TEST_F(LocalMasterTest, ADeadlineEndsABlockedStepAndLeavesTheQueueUsable) {
  Value q = Add("FifoQueue", {},
                {{"capacity", 2}, {"dtypes", std::vector<DType>{DType::kF32}}});
  Node* enqueue = Add("Enqueue", {q, Scalar(4)}).node;
  Value out =
      Add("Dequeue", {q}, {{"dtypes", std::vector<DType>{DType::kF32}}});
  LocalMaster master(graph_);
  RunOptions options;
  options.timeout_ms = 5;
  auto got = master.Run(std::vector<Value>{out}, {}, {}, options);
  ASSERT_FALSE(got.ok());
  EXPECT_EQ(got.status().code(), Code::kDeadlineExceeded)
      << got.status().ToString();
  ASSERT_TRUE(master.Run({}, {}, std::vector<Node*>{enqueue}).ok());
  EXPECT_EQ(Fetch(master, out), 4);
}

TEST_F(LocalMasterTest, ClosingCancelsWhatRunsAndRefusesWhatComes) {
  Value q = Add("FifoQueue", {},
                {{"capacity", 2}, {"dtypes", std::vector<DType>{DType::kF32}}});
  Value out =
      Add("Dequeue", {q}, {{"dtypes", std::vector<DType>{DType::kF32}}});
  LocalMaster master(graph_);
  Status status;
  std::thread blocked(
      [&] { status = master.Run(std::vector<Value>{out}, {}, {}).status(); });
  while (master.num_programs() == 0) std::this_thread::yield();
  master.Close();
  blocked.join();
  EXPECT_EQ(status.code(), Code::kCancelled);
  EXPECT_EQ(master.Run(std::vector<Value>{out}, {}, {}).status().code(),
            Code::kCancelled);
}

// What a cancelled step calls was called under the lock that Close() takes.
TEST_F(LocalMasterTest, ClosingCallsNobodyUnderItsLock) {
  Value x = Placeholder(DType::kF32, PartialShape::Scalar(), "x");
  Value y = Add("TestWaitUntilCancelled", {x});
  LocalMaster master(graph_);
  asked = &master;
  waits = false;
  Status status;
  std::thread blocked([&] {
    FeedList feeds = {{x, Array::Scalar(1.0f)}};
    status = master.Run(std::vector<Value>{y}, feeds, {}).status();
  });
  while (!waits) std::this_thread::yield();
  master.Close();
  blocked.join();
  EXPECT_EQ(status.code(), Code::kCancelled);
}

TEST_F(LocalMasterTest, ACallersOwnSwitchStopsARun) {
  Value x = Placeholder(DType::kF32, PartialShape::Scalar(), "x");
  Value y = Add("Sleep", {x}, {{"micros", int64_t{60'000'000}}});
  LocalMaster master(graph_);
  RunOptions options;
  options.cancellation = std::make_shared<Cancellation>();
  options.cancellation->Cancel(Cancelled("by the user"));
  auto got = master.Run(std::vector<Value>{y}, {{x, Array::Scalar(1.0f)}}, {},
                        options);
  EXPECT_EQ(got.status().message(), "by the user");
}

TEST_F(LocalMasterTest, TracesNameNodes) {
  Value x = Placeholder(DType::kF32, PartialShape{any}, "x");
  Value y = Add("Softmax", {x}, {}, "probabilities");
  LocalMaster master(graph_);
  RunOptions options;
  options.trace = true;
  options.executor = ExecutorChoice::kTokens;
  RunMetadata metadata;
  ASSERT_TRUE(master
                  .Run(std::vector<Value>{y},
                       {{x, Array::Zeros(DType::kF32, {4})}}, {}, options,
                       &metadata)
                  .ok());
  ASSERT_EQ(metadata.rows.size(), 1u);
  EXPECT_EQ(metadata.rows[0].name, "probabilities");
  EXPECT_NE(metadata.chrome_trace.find("probabilities"), std::string::npos);
}

TEST_F(LocalMasterTest, PartialRunsFeedAndFetchInTurn) {
  Value a = Placeholder(DType::kF32, PartialShape::Scalar(), "a");
  Value b = Placeholder(DType::kF32, PartialShape::Scalar(), "b");
  Value c = Placeholder(DType::kF32, PartialShape::Scalar(), "c");
  Value r1 = Add("Add", {a, b}), r2 = Add("Mul", {r1, c});
  LocalMaster master(graph_);
  std::vector<Value> feeds = {a, b, c}, fetches = {r1, r2};
  auto made = PartialRun::Setup(master, feeds, fetches, {});
  ASSERT_TRUE(made.ok()) << made.status().ToString();
  PartialRun& run = **made;
  auto first = run.Run(std::vector<Value>{r1},
                       {{a, Array::Scalar(1.0f)}, {b, Array::Scalar(2.0f)}});
  ASSERT_TRUE(first.ok()) << first.status().ToString();
  float sum = (*first)[0].data<float>()[0];
  EXPECT_EQ(sum, 3);
  EXPECT_NE(run.Run(std::vector<Value>{r2}, {})
                .status()
                .message()
                .find("needs a feed"),
            std::string::npos);
  EXPECT_NE(run.Run({}, {{a, Array::Scalar(1.0f)}})
                .status()
                .message()
                .find("already been fed"),
            std::string::npos);
  EXPECT_NE(run.Run(std::vector<Value>{r1}, {})
                .status()
                .message()
                .find("already been fetched"),
            std::string::npos);
  EXPECT_NE(run.Run(std::vector<Value>{a}, {})
                .status()
                .message()
                .find("was not specified"),
            std::string::npos);
  auto second = run.Run(std::vector<Value>{r2}, {{c, Array::Scalar(sum * 17)}});
  ASSERT_TRUE(second.ok()) << second.status().ToString();
  EXPECT_EQ((*second)[0].data<float>()[0], 153);
}

TEST_F(LocalMasterTest, PartialRunsAreIndependentAndMayBeDropped) {
  Value a = Placeholder(DType::kF32, PartialShape::Scalar(), "a");
  Value y = Add("Neg", {a});
  LocalMaster master(graph_);
  std::vector<Value> feeds = {a}, fetches = {y};
  EXPECT_FALSE(PartialRun::Setup(master, feeds, {}, {}).ok());
  auto one = PartialRun::Setup(master, feeds, fetches, {});
  auto two = PartialRun::Setup(master, feeds, fetches, {});
  ASSERT_TRUE(one.ok() && two.ok());
  EXPECT_EQ(
      (*(*two)->Run(fetches, {{a, Array::Scalar(2.0f)}}))[0].data<float>()[0],
      -2);
  one->reset();
  auto three = PartialRun::Setup(master, feeds, fetches, {});
  EXPECT_EQ(
      (*(*three)->Run(fetches, {{a, Array::Scalar(3.0f)}}))[0].data<float>()[0],
      -3);
}

TEST_F(LocalMasterTest, ARefusedStepLeavesStateAsItWas) {
  Attrs attrs = {{"dtype", DType::kF32}, {"shape", PartialShape{any}}};
  Value w = Add("Variable", {}, attrs);
  Value x = Placeholder(DType::kF32, PartialShape{any}, "x");
  Value read = Add("ReadVariable", {w},
                   {{"dtype", DType::kF32}, {"shape", PartialShape{any}}});
  Node* init = Add("Assign", {w, x}).node;
  Node* bad =
      Add("AssignAdd", {w, Add("Concat", {x, x}, {{"axis", int64_t{0}}})}).node;
  LocalMaster master(graph_);
  FeedList feeds = {{x, Array::Of<float>({2}, {1, 2})}};
  ASSERT_TRUE(master.Run({}, feeds, std::vector<Node*>{init}).ok());
  EXPECT_FALSE(master.Run({}, feeds, std::vector<Node*>{bad}).ok());
  auto got = master.Run(std::vector<Value>{read}, {}, {});
  ASSERT_TRUE(got.ok());
  EXPECT_EQ((*got)[0].ToString(), "[1 2]");
}

}  // namespace
}  // namespace sluice
