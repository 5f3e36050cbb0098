// Allocations that fail: the n-th of a run, for every n. Wanted each time: the
// result, or an error; the process lives, nothing hangs, and the run after it
// is right.
// Not under sanitizers, which replace the allocator themselves.
#include <thread>

#include "sluice/base/failing_allocation_test_util.h"
#include "sluice/graph/text_parser.h"
#include "sluice/session/program.h"
#include "sluice/sluice.h"
#include "sluice/step/step_pool.h"

namespace sluice {
namespace {

struct TestGraph {
  const char* name;
  const char* text;
};

constexpr TestGraph kPrograms[] = {
    {"Layers", R"(graph g(%x: f32[8,16], %w: f32[16,4]) -> (%l, %d) {
      %h = MatMul(%x, %w)
      %a = Relu(%h)
      %s = Softmax(%a)
      %q = Mul(%s, %s)
      %l = Sum(%q)
      %t = Transpose(%x)
      %d = MatMul(%t, %s)
    })"},
    {"Loop", R"(graph g(%x: f32[?], %w: f32[?]) -> (%o:1) {
      %o = While(0, %x) [dtypes = {i32, f32}] {
        cond(%i: i32[], %a: f32[?]) { %c = Less(%i, 5) yield %c }
        body(%i: i32[], %a: f32[?]) {
          %j = Add(%i, 1)
          %b = Mul(%a, %w)
          yield %j, %b
        }
      }
    })"},
    {"Branch", R"(graph g(%x: f32[?], %w: f32[?]) -> (%y) {
      %s = Sum(%x)
      %p = Less(%s, 3.0)
      %y = If(%p) [dtypes = {f32}] {
        then() { %u = Add(%x, %w) yield %u }
        else() { %v = Concat(%x, %w) [axis = 0] yield %v }
      }
    })"},
};

Array Filled(const Shape& shape, float value) {
  Array a = Array::Zeros(DType::kF32, shape);
  for (int64_t i = 0; i < a.num_elements(); ++i) {
    a.mutable_data<float>()[i] = value + static_cast<float>(i % 7);
  }
  return a;
}

class FailingAllocation
    : public testing::TestWithParam<std::tuple<int, ExecutorChoice, int>> {
 protected:
  FailingAllocation() : pool_(std::get<2>(GetParam())) {
    const TestGraph& program = kPrograms[std::get<0>(GetParam())];
    graph_ = *ParseGraph(program.text);
    bool flat = std::get<0>(GetParam()) > 0;
    args_ = {flat ? Filled({4}, 0) : Filled({8, 16}, 0),
             flat ? Filled({4}, 1) : Filled({16, 4}, 1)};
    want_ = *Run();
  }

  // Planned and run from nothing.
  Result<std::vector<Array>> Run() {
    PlanOptions options;
    ResourceManager resources;
    options.executor = std::get<1>(GetParam());
    options.resources = &resources;
    Program program(graph_->Clone(), options);
    SL_ASSIGN_OR_RETURN(std::shared_ptr<const Plan> plan,
                        program.PlanFor(args_));
    return RunPlan(*plan, resources);
  }
  Result<std::vector<Array>> RunPlan(const Plan& plan,
                                     ResourceManager& resources) {
    std::unique_ptr<Step> step = AcquireStep(plan);
    StepRequest request;
    request.step_id = 1;
    request.resources = &resources;
    request.pool = &pool_;
    step->Begin(request);
    for (size_t i = 0; i < args_.size(); ++i) {
      step->Feed(static_cast<int>(i), args_[i]);
    }
    step->RunUntilQuiet();
    Status status = step->Finish();
    std::vector<Array> results;
    if (status.ok()) {
      for (Array& a : step->results()) results.push_back(std::move(a));
    }
    for (Array& a : step->results()) a = Array();
    ReleaseStep(plan, std::move(step));
    if (!status.ok()) return status;
    return results;
  }
  void ExpectRight(const Result<std::vector<Array>>& got) {
    ASSERT_TRUE(got.ok()) << got.status().ToString();
    ASSERT_EQ(got->size(), want_.size());
    for (size_t i = 0; i < want_.size(); ++i) {
      ASSERT_TRUE((*got)[i].BitEquals(want_[i])) << i;
    }
  }

  WorkerPool pool_;
  std::unique_ptr<Graph> graph_;
  std::vector<Array> args_, want_;
};

TEST_P(FailingAllocation, OfPlanningIsAnError) {
  ForEveryAllocation([&] { return Run().status(); },
                     [&] { ExpectRight(Run()); });
}

TEST_P(FailingAllocation, OfAStepIsAnError) {
  PlanOptions options;
  ResourceManager resources;
  options.executor = std::get<1>(GetParam());
  options.resources = &resources;
  Program program(graph_->Clone(), options);
  std::shared_ptr<const Plan> plan = *program.PlanFor(args_);
  ForEveryAllocation([&] { return RunPlan(*plan, resources).status(); },
                     [&] { ExpectRight(RunPlan(*plan, resources)); });
}

std::string NameOf(
    const testing::TestParamInfo<FailingAllocation::ParamType>& info) {
  const char* executors[] = {"Auto", "Tape", "Tokens"};
  return std::string(kPrograms[std::get<0>(info.param)].name) +
         executors[static_cast<int>(std::get<1>(info.param))] +
         std::to_string(std::get<2>(info.param));
}
INSTANTIATE_TEST_SUITE_P(
    Programs, FailingAllocation,
    testing::Combine(testing::Range(0, 3),
                     testing::Values(ExecutorChoice::kAuto,
                                     ExecutorChoice::kTape,
                                     ExecutorChoice::kTokens),
                     testing::Values(1, 3)),
    NameOf);

// Imperatively: forward, backward, and the weights changed.
TEST(FailingAllocationOf, AnImperativeTrainingStep) {
  Tensor x = constant(Filled({8, 16}, 0));
  auto step = [&](std::vector<float>* out) -> Status {
    Tensor w = constant(Filled({16, 4}, 1)).clone().requires_grad_();
    Tensor loss = sum(square(relu(matmul(x, w))));
    loss.backward();
    {
      NoGrad off;
      w.sub_(w.grad() * 0.001f);
    }
    if (out) *out = w.to_vector<float>();
    return OkStatus();
  };
  std::vector<float> want;
  ASSERT_TRUE(step(&want).ok());
  // On a new thread each time: one that has run it keeps what it needs.
  auto on_a_thread = [&]() -> Status {
    Status status;
    int64_t n = fail_at.exchange(0);
    std::thread([&] {
      fail_at = n;
      status = Guarded([&] { return step(nullptr); });
      n = fail_at.exchange(0);
    }).join();
    fail_at = n;
    return status;
  };
  ForEveryAllocation(on_a_thread, [&] {
    std::vector<float> got;
    ASSERT_TRUE(step(&got).ok());
    ASSERT_EQ(got, want);
  });
}

}  // namespace
}  // namespace sluice
