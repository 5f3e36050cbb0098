// Memory held by the gradient of a loop after it ran, failed or was cancelled:
// none. The loop keeps a value of 64 KiB per iteration for its gradient.
#include <gtest/gtest.h>

#include "sluice/autodiff/gradients.h"
#include "sluice/base/strings.h"
#include "sluice/base/worker_pool.h"
#include "sluice/step/executor_test_util.h"
#include "sluice/step/step_pool.h"
#include "sluice/tensor/allocator.h"

namespace sluice {
namespace {

// The branch inside also keeps its residuals.
const char kLoop[] = R"(graph g(%n: i64[], %bad: i64[], %x: f32[]) -> (%y) {
  %zero = Const [value = 0 : i64[]]
  %dims = Const [value = [16384] : i64[1]]
  %a0 = Fill(%dims, %x)
  %i_end, %a_end = While(%zero, %a0) [dtypes = {i64, f32}, parallel = 8] : i64[], f32[16384] {
    cond(%i: i64[], %a: f32[16384]) {
      %c = Less(%i, %n)
      yield %c
    }
    body(%i: i64[], %a: f32[16384]) run %ok {
      %j = Add(%i, 1)
      %good = NotEqual(%i, %bad)
      %ok = Assert(%good) [message = "bad"]
      %odd = BitwiseAnd(%i, 1)
      %is = Equal(%odd, 1)
      %b = If(%is) [dtypes = {f32}] : f32[16384] {
        then() {
          %t = Tanh(%a)
          yield %t
        }
        else() {
          %s = Sin(%a)
          %p = Mul(%s, %a)
          yield %p
        }
      }
      yield %j, %b
    }
  }
  %y = Sum(%a_end) [axes = {0}]
})";

// dy/dx, and the gradient of that for `order` 2.
std::shared_ptr<const Plan> PlanOf(ExecutorChoice executor, int order) {
  std::unique_ptr<Graph> graph = MustParse(kLoop);
  {
    MutexLock lock(graph->mu());
    Value y = graph->root().results()[0], x = graph->root().arg(2);
    for (int i = 0; i < order; ++i) {
      auto found = Gradients(*graph, {&y, 1}, {&x, 1});
      EXPECT_TRUE(found.ok()) << found.status().message();
      if (!found.ok()) return nullptr;
      y = (*found)[0];
    }
    graph->SetResults(graph->root(), {y});
  }
  PlanOptions options;
  options.executor = executor;
  auto plan = Plan::Build(std::move(graph), options);
  EXPECT_TRUE(plan.ok()) << plan.status().message();
  return plan.ok() ? *plan : nullptr;
}

Status RunOnce(Step& step, int64_t n, int64_t bad, WorkerPool* pool) {
  StepRequest request;
  request.pool = pool;
  step.Begin(request);
  step.Feed(0, Array::Scalar(n));
  step.Feed(1, Array::Scalar(bad));
  step.Feed(2, Array::Scalar(0.5f));
  step.RunUntilQuiet();
  Status status = step.Finish();
  for (Array& value : step.results()) value = Array();
  return status;
}

TEST(GradientMemory, NothingIsHeldAfterSuccessErrorOrCancelling) {
  static auto* two = new WorkerPool(2);
  for (ExecutorChoice executor :
       {ExecutorChoice::kTape, ExecutorChoice::kTokens}) {
    for (int order : {1, 2}) {
      SCOPED_TRACE(
          StrCat("executor ", static_cast<int>(executor), ", order ", order));
      auto plan = PlanOf(executor, order);
      ASSERT_TRUE(plan);
      auto step = AcquireStep(*plan);
      ASSERT_TRUE(RunOnce(*step, 3, -1, nullptr).ok());
      int64_t before = HostAllocator().stats().bytes_in_use;
      auto expect_nothing = [&] {
        EXPECT_EQ(step->frames_left(), 0);
        EXPECT_EQ(step->blocks_in_use(), 0);
        EXPECT_EQ(HostAllocator().stats().bytes_in_use, before);
      };
      for (WorkerPool* pool : {(WorkerPool*)nullptr, two}) {
        Status ran = RunOnce(*step, 12, -1, pool);
        EXPECT_TRUE(ran.ok()) << ran.message();
        expect_nothing();

        Status failed = RunOnce(*step, 12, 9, pool);
        EXPECT_NE(failed.message().find("in iteration 9 of"), std::string::npos)
            << failed.message();
        expect_nothing();

        StepRequest request;
        request.pool = pool;
        step->Begin(request);
        step->Feed(0, Array::Scalar<int64_t>(1 << 30));
        step->Feed(2, Array::Scalar(0.5f));
        step->Cancel(Cancelled("enough"));
        step->Feed(1, Array::Scalar<int64_t>(-1));
        step->RunUntilQuiet();
        EXPECT_EQ(step->Finish().code(), Code::kCancelled);
        expect_nothing();
      }
    }
  }
}

}  // namespace
}  // namespace sluice
