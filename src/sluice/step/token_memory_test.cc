// Memory held by loops on the token machine while they run, and after.
#include <gtest/gtest.h>

#include "sluice/base/strings.h"
#include "sluice/step/executor_test_util.h"
#include "sluice/step/step_pool.h"
#include "sluice/tensor/allocator.h"

namespace sluice {
namespace {

constexpr int64_t kElements = 1 << 14;
constexpr int64_t kBytes = kElements * 4;

const char kRows[] = R"(graph g(%n: i64[], %bad: i64[]) -> (%b_end) {
  %zero = Const [value = 0 : i64[]]
  %dims = Const [value = [16384] : i64[1]]
  %x = Fill(%dims, 1.0)
  %i_end, %b_end = While(%zero, %x) [dtypes = {i64, f32}, parallel = PARALLEL] {
    cond(%i: i64[], %a: f32[16384]) {
      %c = Less(%i, %n)
      yield %c
    }
    body(%i: i64[], %a: f32[16384]) run %ok {
      %j = Add(%i, 1)
      %good = NotEqual(%i, %bad)
      %ok = Assert(%good) [message = "bad"]
      %h = Mul(%a, 0.5)
      %b = Add(%h, 1.0)
      yield %j, %b
    }
  }
})";

std::shared_ptr<const Plan> PlanOf(int parallel) {
  std::string text = kRows;
  text.replace(text.find("PARALLEL"), 8, StrCat(parallel));
  PlanOptions options;
  options.executor = ExecutorChoice::kTokens;
  auto plan = Plan::Build(MustParse(text), options);
  EXPECT_TRUE(plan.ok()) << plan.status().message();
  return *plan;
}

Status RunOnce(Step& step, int64_t n, int64_t bad, WorkerPool* pool = nullptr) {
  StepRequest request;
  request.pool = pool;
  step.Begin(request);
  step.Feed(0, Array::Scalar(n));
  step.Feed(1, Array::Scalar(bad));
  step.RunUntilQuiet();
  Status status = step.Finish();
  for (Array& value : step.results()) value = Array();
  return status;
}

TEST(TokenMemory, ALongLoopNeedsFewBuffers) {
  for (int parallel : {1, 4, 32}) {
    auto plan = PlanOf(parallel);
    auto step = AcquireStep(*plan);
    ASSERT_TRUE(RunOnce(*step, 3, -1).ok());
    HostAllocator().ResetPeak();
    int64_t before = HostAllocator().stats().bytes_in_use;
    ASSERT_TRUE(RunOnce(*step, 1000, -1).ok());
    int64_t peak = HostAllocator().stats().peak_bytes - before;
    EXPECT_LE(peak, (parallel + 3) * kBytes) << HumanBytes(peak);
    // One is carried and overwritten; the initial value must not be.
    EXPECT_LE(peak, 3 * kBytes) << HumanBytes(peak);
  }
}

TEST(TokenMemory, NothingIsHeldAfterSuccessErrorOrCancelling) {
  static auto* two = new WorkerPool(2);
  auto plan = PlanOf(8);
  auto step = AcquireStep(*plan);
  ASSERT_TRUE(RunOnce(*step, 3, -1).ok());
  int64_t before = HostAllocator().stats().bytes_in_use;
  for (WorkerPool* pool : {(WorkerPool*)nullptr, two}) {
    EXPECT_TRUE(RunOnce(*step, 100, -1, pool).ok());
    EXPECT_EQ(step->frames_left(), 0);
    EXPECT_EQ(step->blocks_in_use(), 0);
    EXPECT_EQ(HostAllocator().stats().bytes_in_use, before);

    Status failed = RunOnce(*step, 100, 70, pool);
    EXPECT_NE(failed.message().find("in iteration 70 of"), std::string::npos)
        << failed.message();
    EXPECT_EQ(step->frames_left(), 0);
    EXPECT_EQ(step->blocks_in_use(), 0);
    EXPECT_EQ(HostAllocator().stats().bytes_in_use, before);

    StepRequest request;
    request.pool = pool;
    step->Begin(request);
    step->Feed(0, Array::Scalar<int64_t>(1 << 30));
    step->Cancel(Cancelled("enough"));
    step->Feed(1, Array::Scalar<int64_t>(-1));
    step->RunUntilQuiet();
    EXPECT_EQ(step->Finish().code(), Code::kCancelled);
    EXPECT_EQ(step->frames_left(), 0);
    EXPECT_EQ(step->blocks_in_use(), 0);
    EXPECT_EQ(HostAllocator().stats().bytes_in_use, before);
  }
}

}  // namespace
}  // namespace sluice
