// Behaviour of a step besides computing: asynchronous ops, errors,
// cancellation, statistics, state in program order. With tokens and with
// islands.
#include <gtest/gtest.h>

#include <thread>

#include "sluice/base/strings.h"
#include "sluice/step/executor_test_util.h"
#include "sluice/step/step_pool.h"

namespace sluice {
namespace {

const ExecutorChoice kAll[] = {ExecutorChoice::kTokens, ExecutorChoice::kAuto,
                               ExecutorChoice::kTape};

TEST(Step, AsynchronousOpsDeliverAndNeedNoThread) {
  auto graph = MustParse(R"(graph g(%x: f32[]) -> (%y, %z) {
    %a = Sleep(%x) [micros = 200]
    %b = Sleep(%x) [micros = 100]
    %y = Add(%a, %b)
    %z = Mul(%y, %y)
  })");
  for (ExecutorChoice choice : kAll) {
    for (int threads : {1, 2}) {
      WorkerPool pool(threads);
      auto got = RunOnPlan(*graph, {Array::Scalar(3.0f)}, choice, &pool);
      ASSERT_TRUE(got.ok()) << got.status().ToString();
      EXPECT_EQ((*got)[0].data<float>()[0], 6);
      EXPECT_EQ((*got)[1].data<float>()[0], 36);
    }
  }
}

TEST(Step, TheErrorNamesOpLineAndOperands) {
  Graph graph("g");
  Region& root = graph.root();
  Value x = *graph.AddArg(root, "x", {DType::kF32, PartialShape{any, any}});
  NodeOptions options;
  options.name = "product";
  options.line = {"model.cc", "forward", 41};
  Node* product =
      *graph.Add(root, "MatMul", std::vector<Value>{x, x}, {}, options);
  graph.SetResults(root, {product->output()});
  for (ExecutorChoice choice : kAll) {
    auto got =
        RunOnPlan(graph, {Array::Zeros(DType::kF32, {2, 3})}, choice, nullptr);
    ASSERT_FALSE(got.ok());
    EXPECT_EQ(got.status().code(), Code::kInvalidArgument);
    const std::string& text = got.status().message();
    EXPECT_NE(text.find("[MatMul]"), text.npos) << text;
    EXPECT_NE(text.find("model.cc:41"), text.npos) << text;
    EXPECT_NE(text.find("\"product\""), text.npos) << text;
    EXPECT_NE(text.find("f32[2,3]"), text.npos) << text;
  }
}

TEST(Step, AnErrorEndsTheStepAndTheProcessGoesOn) {
  // The assertion fails while other branches wait for a long sleep.
  auto graph = MustParse(R"(graph g(%ok: bool[], %x: f32[]) -> (%z) run %check {
    %check = Assert(%ok, %x) [message = "x must be good"]
    %slow = Sleep(%x) [micros = 60000000]
    %z = Add(%slow, %x)
  })");
  for (ExecutorChoice choice : kAll) {
    auto got = RunOnPlan(*graph, {Array::Scalar(false), Array::Scalar(1.0f)},
                         choice, nullptr);
    ASSERT_FALSE(got.ok());
    EXPECT_NE(got.status().message().find("x must be good"), std::string::npos)
        << got.status().message();
  }
}

TEST(Step, CancellationStopsAWaitingStepFromAnotherThread) {
  auto graph = MustParse(R"(graph g(%x: f32[]) -> (%y) {
    %y = Sleep(%x) [micros = 60000000]
  })");
  PlanOptions options;
  auto plan = *Plan::Build(graph->Clone(), options);
  std::unique_ptr<Step> step = AcquireStep(*plan);
  step->Begin({});
  step->Feed(0, Array::Scalar(1.0f));
  std::thread other(
      [c = step->cancellation()] { c->Cancel(Cancelled("enough")); });
  step->RunUntilQuiet();
  other.join();
  Status status = step->Finish();
  EXPECT_EQ(status.code(), Code::kCancelled);
  EXPECT_EQ(status.message(), "enough");
}

TEST(Step, AStepIsReusableAfterAnError) {
  auto graph =
      MustParse(R"(graph g(%ok: bool[], %x: f32[4]) -> (%y) run %check {
    %check = Assert(%ok, %x)
    %y = Add(%x, %x)
  })");
  PlanOptions options;
  auto plan = *Plan::Build(graph->Clone(), options);
  for (int i = 0; i < 20; ++i) {
    bool good = i % 2 == 1;
    std::unique_ptr<Step> step = AcquireStep(*plan);
    step->Begin({});
    step->Feed(0, Array::Scalar(good));
    step->Feed(1, Array::Zeros(DType::kF32, {4}));
    step->RunUntilQuiet();
    EXPECT_EQ(step->Finish().ok(), good);
    ReleaseStep(*plan, std::move(step));
  }
}

TEST(Step, StatisticsNameEveryFiring) {
  auto graph = MustParse(R"(graph g(%x: f32[8]) -> (%c) {
    %a = Add(%x, %x)
    %b = Mul(%a, %x)
    %c = Sub(%b, %a)
  })");
  PlanOptions options;
  options.executor = ExecutorChoice::kTokens;
  auto plan = *Plan::Build(graph->Clone(), options);
  StepStats stats;
  StepRequest request;
  request.stats = &stats;
  std::unique_ptr<Step> step = AcquireStep(*plan);
  step->Begin(request);
  step->Feed(0, Array::Zeros(DType::kF32, {8}));
  step->RunUntilQuiet();
  ASSERT_TRUE(step->Finish().ok());
  auto rows = stats.Rows(*plan);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].name, "a");
  EXPECT_EQ(rows[1].op, "Mul");
  EXPECT_EQ(rows[2].bytes, 32);
  EXPECT_NE(stats.ChromeTrace(*plan).find("\"name\":\"b\""), std::string::npos);
}

TEST(Step, StateKeepsProgramOrderWithoutControlEdges) {
  auto graph = MustParse(R"(graph g() -> (%first, %second, %third) {
    %v = Variable [dtype = f32, shape = []]
    %one = Const [value = 1 : f32[]]
    %ten = Const [value = 10 : f32[]]
    %init = Assign(%v, %one)
    %first = ReadVariable(%v) [dtype = f32, shape = []]
    %add = AssignAdd(%v, %ten)
    %second = ReadVariable(%v) [dtype = f32, shape = []]
    %sub = AssignSub(%v, %one)
    %third = ReadVariable(%v) [dtype = f32, shape = []]
  })");
  WorkerPool pool(2);
  for (ExecutorChoice choice : kAll) {
    for (int round = 0; round < 50; ++round) {
      ResourceManager resources;
      auto got = RunOnPlan(*graph, {}, choice, &pool, &resources);
      ASSERT_TRUE(got.ok()) << got.status().ToString();
      EXPECT_EQ((*got)[0].data<float>()[0], 1);
      EXPECT_EQ((*got)[1].data<float>()[0], 11);
      EXPECT_EQ((*got)[2].data<float>()[0], 10);
    }
  }
}

TEST(Step, FeedsAndConstantsAreNeverOverwritten) {
  auto graph = MustParse(R"(graph g(%x: f32[4]) -> (%y) {
    %c = Const [value = [1 2 3 4] : f32[4]]
    %a = Add(%x, %c)
    %b = Neg(%a)
    %y = Mul(%b, %c)
  })");
  for (ExecutorChoice choice : kAll) {
    Array x = Array::Of<float>({4}, {1, 1, 1, 1});
    for (int round = 0; round < 2; ++round) {
      auto got = RunOnPlan(*graph, {x}, choice, nullptr);
      ASSERT_TRUE(got.ok());
      EXPECT_EQ((*got)[0].ToString(), "[-2 -6 -12 -20]");
    }
    EXPECT_EQ(x.ToString(), "[1 1 1 1]");
  }
}

TEST(Step, WideGraphsRunTheSameOnManyThreads) {
  Graph graph("wide");
  Region& root = graph.root();
  Value x = *graph.AddArg(root, "x", {DType::kF32, Shape{64, 64}});
  std::vector<Value> parts;
  for (int i = 0; i < 40; ++i) {
    // Each branch is heavy enough to be worth another thread.
    Value v =
        (*graph.Add(root, "MatMul", std::vector<Value>{x, x}, {}))->output();
    for (int k = 0; k < 3; ++k) {
      v = (*graph.Add(root, k % 2 ? "Tanh" : "Sigmoid", std::vector<Value>{v},
                      {}))
              ->output();
    }
    parts.push_back(v);
  }
  graph.SetResults(root, {(*graph.Add(root, "AddN", parts, {}))->output()});
  Array input = *Array::Make(DType::kF32, {64, 64});
  for (int i = 0; i < 64 * 64; ++i)
    input.mutable_data<float>()[i] = static_cast<float>(i % 17) / 17;
  WorkerPool pool(4);
  auto want = RunOnPlan(graph, {input}, ExecutorChoice::kTokens, nullptr);
  ASSERT_TRUE(want.ok());
  for (ExecutorChoice choice : kAll) {
    for (int round = 0; round < 10; ++round) {
      auto got = RunOnPlan(graph, {input}, choice, &pool);
      ASSERT_TRUE(got.ok());
      EXPECT_TRUE((*got)[0].BitEquals((*want)[0]));
    }
  }
}

}  // namespace
}  // namespace sluice
