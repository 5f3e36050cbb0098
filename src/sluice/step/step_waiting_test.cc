// The messages of a step when something is missing at its end.
#include <gtest/gtest.h>

#include <thread>

#include "sluice/base/strings.h"
#include "sluice/reference/reference_interpreter.h"
#include "sluice/step/executor_test_util.h"
#include "sluice/step/raw_graph_test_util.h"
#include "sluice/step/step_pool.h"

namespace sluice {
namespace {

void ExpectParts(const std::string& text,
                 const std::vector<std::string>& parts) {
  for (const std::string& part : parts) {
    EXPECT_NE(text.find(part), text.npos)
        << "no \"" << part << "\" in: " << text;
  }
}

// The wording of the reference interpreter, in every run.
TEST(StepWaiting, ADeadFetchNamesWhoDecided) {
  for (bool p : {true, false}) {
    RawGraph g;
    Value pred = g.Arg("p", DType::kBool), x = g.Arg("x", DType::kI64);
    Node* gate = g.Switch(x, pred);
    Value yes = g("Add", {gate->output(1), x}, {}, "yes");
    Value no = g("Neg", {gate->output(0)}, {}, "no");
    auto graph = g.Take({p ? no : yes});
    std::vector<Array> args{Array::Scalar(p), Array::Scalar<int64_t>(3)};
    Result<std::vector<Array>> want = Interpret(*graph, args, {});
    ASSERT_FALSE(want.ok());
    for (ExecutorChoice choice :
         {ExecutorChoice::kTokens, ExecutorChoice::kAuto}) {
      auto got = RunOnPlan(*graph, args, choice, nullptr);
      ASSERT_FALSE(got.ok());
      EXPECT_EQ(got.status().message(), want.status().message());
      ExpectParts(
          got.status().message(),
          {p ? "\"no\"" : "\"yes\"", p ? "is true" : "is false", "raw.cc:1"});
    }
  }
}

TEST(StepWaiting, ADeadFetchFromALoopNamesItsLastIteration) {
  RawGraph g;
  Value n = g.Arg("n", DType::kI64);
  auto loop = g.Count(g.Const<int64_t>(0), n, "f");
  Value far = g("Equal", {loop.i, g.Const<int64_t>(100)});
  Value never = g("Exit", {g.True(loop.i, far)});
  auto graph = g.Take({g.last_exit(), never});
  std::vector<Array> args{Array::Scalar<int64_t>(3)};
  auto got = RunOnPlan(*graph, args, ExecutorChoice::kTokens, nullptr);
  ASSERT_FALSE(got.ok());
  ExpectParts(got.status().message(),
              {"fetch \"Exit_1\" is dead", "predicate \"Equal\"", "is false",
               "iteration 3 of frame \"f\""});
}

TEST(StepWaiting, AStepThatCannotGoOnSaysWhoWaitsWhere) {
  RawGraph g;
  Value x = g.Arg("x", DType::kI64), late = g.Arg("late", DType::kI64);
  Value e = g.Enter(x, "f"), l = g.Enter(late, "f");
  Value sum = g("Add", {g("Neg", {e}), l}, {}, "sum");
  Value y = g("Exit", {sum});
  PlanOptions options;
  options.executor = ExecutorChoice::kTokens;
  auto plan = *Plan::Build(g.Take({y}), options);
  auto step = AcquireStep(*plan);
  step->Begin({});
  step->Feed(0, Array::Scalar<int64_t>(1));
  step->RunUntilQuiet();
  ExpectParts(step->WhyWaiting(),
              {"\"sum\"", "iteration 0 of frame \"f\"", "waits for b = "});
  EXPECT_TRUE(step->Finish().ok());
  EXPECT_EQ(step->frames_left(), 1);
  ExpectParts(step->MissingResult(0).message(),
              {"cannot go on", "\"sum\"", "iteration 0 of frame \"f\""});
  // Leftovers do not disturb the next run.
  step->Begin({});
  step->Feed(0, Array::Scalar<int64_t>(1));
  step->Feed(1, Array::Scalar<int64_t>(5));
  step->RunUntilQuiet();
  EXPECT_TRUE(step->Finish().ok());
  EXPECT_EQ(step->frames_left(), 0);
  EXPECT_EQ(*step->results()[0].data<int64_t>(), 4);
}

TEST(StepWaiting, ADeadlineSaysWhatHadNotCompleted) {
  auto graph = MustParse(R"(graph g(%x: i64[]) -> (%r) {
    %r = While(%x) [dtypes = {i64}] {
      cond(%i: i64[]) {
        %c = Less(%i, 5)
        yield %c
      }
      body(%i: i64[]) {
        %slow = Sleep(%i) [micros = 60000000]
        %j = Add(%slow, 1)
        yield %j
      }
    }
  })");
  PlanOptions options;
  auto plan = *Plan::Build(std::move(graph), options);
  auto step = AcquireStep(*plan);
  step->Begin({});
  step->Feed(0, Array::Scalar<int64_t>(1));
  std::thread other([c = step->cancellation()] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    c->Cancel(DeadlineExceeded("too late"));
  });
  step->RunUntilQuiet();
  other.join();
  Status status = step->Finish();
  EXPECT_EQ(status.code(), Code::kDeadlineExceeded);
  ExpectParts(status.message(),
              {"too late", "Sleep \"slow\" in iteration 0 of frame \"r\"",
               "had not completed", "waits for a = \"slow\""});
  EXPECT_EQ(step->frames_left(), 0);
}

TEST(StepWaiting, AnInfiniteLoopObeysItsDeadline) {
  auto graph = MustParse(R"(graph g(%x: i64[]) -> (%r) {
    %r = While(%x) [dtypes = {i64}] {
      cond(%i: i64[]) {
        %yes = Const [value = true]
        yield %yes
      }
      body(%i: i64[]) {
        %j = Add(%i, 1)
        yield %j
      }
    }
  })");
  for (int threads : {1, 2}) {
    WorkerPool pool(threads);
    PlanOptions options;
    options.executor = ExecutorChoice::kTokens;
    auto plan = *Plan::Build(graph->Clone(), options);
    auto step = AcquireStep(*plan);
    StepRequest request;
    request.pool = &pool;
    step->Begin(request);
    std::thread other([c = step->cancellation()] {
      c->Cancel(DeadlineExceeded("too late"));
    });
    step->Feed(0, Array::Scalar<int64_t>(1));
    step->RunUntilQuiet();
    other.join();
    EXPECT_EQ(step->Finish().code(), Code::kDeadlineExceeded);
    EXPECT_EQ(step->frames_left(), 0);
  }
}

}  // namespace
}  // namespace sluice
