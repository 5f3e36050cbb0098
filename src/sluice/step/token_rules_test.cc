// The rules of the token machine, one test each, on raw graphs.
#include <gtest/gtest.h>

#include "sluice/base/strings.h"
#include "sluice/step/raw_graph_test_util.h"
#include "sluice/step/step_pool.h"

namespace sluice {
namespace {

Array I(int64_t v) { return Array::Scalar<int64_t>(v); }
Array B(bool v) { return Array::Scalar(v); }

int64_t Int(const Array& a) { return a ? *a.data<int64_t>() : -999; }

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != text.npos;
}

// Rules 1 and 4: a Switch leaves one output dead, and its readers do not run
// and are dead; a dead control input has the same effect.
TEST(TokenRules, DeadInputsKillOrdinaryOps) {
  for (bool p : {false, true}) {
    RawGraph g;
    Value pred = g.Arg("p", DType::kBool), x = g.Arg("x", DType::kI64);
    Node* gate = g.Switch(x, pred);
    Value yes = g("Add", {gate->output(1), x});
    Value no = g("Neg", {gate->output(0)});
    Value pivot = g("Identity", {gate->output(1)});
    Value waits = g("Add", {x, x});
    g.Control(waits, pivot);
    Value merged = g("Merge", {no, yes});
    RawRun run = RunRaw(g.Take({yes, no, waits, merged}), {B(p), I(5)});
    ASSERT_TRUE(run.status.ok()) << run.status.message();
    EXPECT_EQ(Int(run.results[0]), p ? 10 : -999);
    EXPECT_EQ(Int(run.results[1]), p ? -999 : -5);
    EXPECT_EQ(Int(run.results[2]), p ? 10 : -999);
    EXPECT_EQ(Int(run.results[3]), p ? 10 : -5);
  }
}

// Rule 2: the first live input and its number; dead if all are.
TEST(TokenRules, AMergePassesTheLiveInputAndItsNumber) {
  for (bool p : {false, true}) {
    RawGraph g;
    Value pred = g.Arg("p", DType::kBool), x = g.Arg("x", DType::kI64);
    Value y = g("Neg", {x});
    Node* merge = g.Add("Merge", {g.False(x, pred), g.True(y, pred)});
    Value dead =
        g("Merge", {g.False(x, g.Const(true)), g.False(y, g.Const(true))});
    RawRun run = RunRaw(g.Take({merge->output(0), merge->output(1), dead}),
                        {B(p), I(5)});
    ASSERT_TRUE(run.status.ok()) << run.status.message();
    EXPECT_EQ(Int(run.results[0]), p ? -5 : 5);
    EXPECT_EQ(*run.results[1].data<int32_t>(), p ? 1 : 0);
    EXPECT_FALSE(run.results[2]);
  }
}

TEST(TokenRules, AMergeWaitsForItsControls) {
  RawGraph g;
  Value x = g.Arg("x", DType::kI64);
  Value slow = g("Sleep", {x}, {{"micros", 2000}});
  Value merge = g("Merge", {x, g.False(x, g.Const(true))});
  g.Control(merge, slow);
  RawRun run = RunRaw(g.Take({merge}), {I(5)});
  ASSERT_TRUE(run.status.ok()) << run.status.message();
  EXPECT_EQ(Int(run.results[0]), 5);
}

TEST(TokenRules, AMergeOfConstantsTakesOne) {
  RawGraph g;
  Value x = g.Arg("x", DType::kI64);
  Value merge = g("Merge", {g.Const<int64_t>(3), g.False(x, g.Const(true))});
  RawRun run = RunRaw(g.Take({merge}), {I(5)});
  ASSERT_TRUE(run.status.ok()) << run.status.message();
  EXPECT_EQ(Int(run.results[0]), 3);
}

// If several are live, one is taken, and nothing is left behind.
TEST(TokenRules, AMergeTakesOneOfSeveral) {
  RawGraph g;
  Value x = g.Arg("x", DType::kI64);
  Value merge = g("Merge", {x, g("Neg", {x}), g("Identity", {x})});
  RawRun run = RunRaw(g.Take({merge}), {I(5)});
  ASSERT_TRUE(run.status.ok()) << run.status.message();
  EXPECT_EQ(std::abs(Int(run.results[0])), 5);
}

// Rule 5: a constant Enter reaches every iteration, even if it arrives late.
TEST(TokenRules, ConstantEntersReachEveryIteration) {
  for (int micros : {0, 2000}) {
    RawGraph g;
    Value n = g.Arg("n", DType::kI64), k = g.Arg("k", DType::kI64);
    if (micros) k = g("Sleep", {k}, {{"micros", micros}});
    auto loop = g.Count(g.Const<int64_t>(0), n, "f");
    Value x = g.LoopMerge(g.Enter(g.Const<int64_t>(1), "f"));
    Node* gate = g.Switch(x, loop.pred);
    g.Round(x, g("Add", {gate->output(1), g.Enter(k, "f", true)}));
    Value out = g("Exit", {gate->output(0)});
    Value count = g.last_exit();
    RawRun run = RunRaw(g.Take({out, count}), {I(7), I(10)});
    ASSERT_TRUE(run.status.ok()) << run.status.message();
    EXPECT_EQ(Int(run.results[0]), 71);
    EXPECT_EQ(Int(run.results[1]), 7);
    EXPECT_EQ(run.frames_left, 0);
  }
}

// A node that only reads constants runs in every iteration.
TEST(TokenRules, WhatReadsOnlyConstantsRunsOncePerIteration) {
  RawGraph g;
  Value n = g.Arg("n", DType::kI64), k = g.Arg("k", DType::kI64);
  auto loop = g.Count(g.Const<int64_t>(0), n, "f");
  Value kk = g.Enter(k, "f", true);
  Value square = g("Mul", {kk, kk});
  Value x = g.LoopMerge(g.Enter(g.Const<int64_t>(0), "f"));
  Node* gate = g.Switch(x, loop.pred);
  g.Round(x, g("Add", {gate->output(1), square}));
  Value out = g("Exit", {gate->output(0)});
  RawRun run = RunRaw(g.Take({out}), {I(5), I(3)});
  ASSERT_TRUE(run.status.ok()) << run.status.message();
  EXPECT_EQ(Int(run.results[0]), 45);
}

// Rule 2 again, and F10: a dead Enter kills the loop's Merge at once, the loop
// runs no body and its exits are dead.
TEST(TokenRules, ALoopOnAnUntakenBranchIsDead) {
  for (bool p : {false, true}) {
    for (bool index : {false, true}) {
      RawGraph g;
      Value pred = g.Arg("p", DType::kBool), n = g.Arg("n", DType::kI64);
      Node* gate = g.Switch(n, pred);
      Value start = g("Sub", {gate->output(1), gate->output(1)});
      auto loop = g.Count(start, gate->output(1), "f");
      Value result = g("Merge", {gate->output(0), g.last_exit()});
      std::vector<Value> fetches{result};
      if (index) {
        // A Merge whose number is read is a separate node.
        Value out = g("Exit", {g.False({loop.i.node, 1}, loop.pred)});
        fetches.push_back(out);
      }
      RawRun run = RunRaw(g.Take(fetches), {B(p), I(6)});
      ASSERT_TRUE(run.status.ok()) << run.status.message();
      EXPECT_EQ(Int(run.results[0]), 6);
      if (index) {
        EXPECT_EQ(bool(run.results[1]), p);
      }
      EXPECT_EQ(run.frames_left, 0) << run.waiting;
    }
  }
}

// Rule 6: a dead Exit is held until the frame ends; one that was alive in an
// earlier iteration is not followed by a dead one.
TEST(TokenRules, DeadExitsAreReleasedWhenTheFrameEnds) {
  RawGraph g;
  Value n = g.Arg("n", DType::kI64);
  auto loop = g.Count(g.Const<int64_t>(0), n, "f");
  Value count = g.last_exit();
  // Alive in iteration 2 only; and never.
  Value second = g("Equal", {loop.inside, g.Const<int64_t>(2)});
  Value once = g("Exit", {g.True(loop.inside, second)});
  Value far = g("Equal", {loop.inside, g.Const<int64_t>(100)});
  Value never = g("Exit", {g.True(loop.inside, far)});
  Value merged = g("Merge", {never, n});
  Value after = g("Add", {once, count});
  RawRun run = RunRaw(g.Take({once, never, merged, after}), {I(5)});
  ASSERT_TRUE(run.status.ok()) << run.status.message();
  EXPECT_EQ(Int(run.results[0]), 2);
  EXPECT_FALSE(run.results[1]);
  EXPECT_EQ(Int(run.results[2]), 5);
  EXPECT_EQ(Int(run.results[3]), 7);
  EXPECT_EQ(run.frames_left, 0);
}

TEST(TokenRules, AValueMayLeaveALoopOnce) {
  RawGraph g;
  Value n = g.Arg("n", DType::kI64);
  auto loop = g.Count(g.Const<int64_t>(0), n, "f");
  Value often = g("Exit", {loop.inside});
  RawRun run = RunRaw(g.Take({often, g.last_exit()}), {I(5)});
  ASSERT_FALSE(run.status.ok());
  EXPECT_TRUE(Contains(run.status.message(), "a second time"))
      << run.status.message();
  EXPECT_EQ(run.frames_left, 0);
}

// Rules 7 and 12: the bound never changes a result; 1 is one at a time.
TEST(TokenRules, TheBoundOnIterationsChangesNoResult) {
  static auto* two = new WorkerPool(2);
  for (int parallel : {1, 2, 4, 32, 100000}) {
    for (WorkerPool* pool : {(WorkerPool*)nullptr, two}) {
      RawGraph g;
      Value n = g.Arg("n", DType::kI64);
      auto loop = g.Count(g.Const<int64_t>(0), n, "f", parallel);
      Value slow = g("Sleep", {loop.inside}, {{"micros", 20}});
      Value x = g.LoopMerge(g.Enter(g.Const<int64_t>(1), "f", false, parallel));
      Node* gate = g.Switch(x, loop.pred);
      Value twice = g("Add", {gate->output(1), gate->output(1)});
      g.Round(x, g("Sub", {twice, slow}));
      Value out = g("Exit", {gate->output(0)});
      RawRun run = RunRaw(g.Take({out, g.last_exit()}), {I(20)},
                          ExecutorChoice::kAuto, pool);
      ASSERT_TRUE(run.status.ok()) << run.status.message();
      // x' = 2 x - i from 1 stays i + 1.
      EXPECT_EQ(Int(run.results[0]), 21) << parallel;
      EXPECT_EQ(Int(run.results[1]), 20);
      EXPECT_EQ(run.frames_left, 0);
    }
  }
}

// Rule 7: iterations overlap. With a bound of 8, eight sleeps run at once; with
// sequential iterations this would never end, because each waits for the work
// of a later one.
TEST(TokenRules, ValuesOfTheNextIterationFlowWhileThisOneRuns) {
  RawGraph g;
  Value n = g.Arg("n", DType::kI64);
  auto loop = g.Count(g.Const<int64_t>(0), n, "f", 8);
  Value slow = g("Sleep", {loop.inside}, {{"micros", 20000}});
  Value sum = g.LoopMerge(g.Enter(g.Const<int64_t>(0), "f", false, 8));
  Node* gate = g.Switch(sum, loop.pred);
  g.Round(sum, g("Add", {gate->output(1), slow}));
  Value out = g("Exit", {gate->output(0)});
  PlanOptions options;
  auto plan = *Plan::Build(g.Take({out}), options);
  StepStats stats;
  auto step = AcquireStep(*plan);
  StepRequest request;
  request.stats = &stats;
  step->Begin(request);
  step->Feed(0, I(8));
  step->RunUntilQuiet();
  ASSERT_TRUE(step->Finish().ok());
  EXPECT_EQ(Int(step->results()[0]), 28);
  // All sleeps began before the first one ended.
  uint64_t last_start = 0, first_end = ~uint64_t{0};
  int sleeps = 0;
  for (const FiringRecord& f : stats.firings) {
    if (plan->info(f.node).node->op().name != "Sleep") continue;
    ++sleeps;
    last_start = std::max(last_start, f.start);
    first_end = std::min(first_end, f.end);
  }
  EXPECT_EQ(sleeps, 8);
  EXPECT_LT(last_start, first_end);
}

// Rule 8 and nesting: an inner loop per outer iteration, including its
// constants.
TEST(TokenRules, LoopsNest) {
  for (int parallel : {1, 4}) {
    RawGraph g;
    Value n = g.Arg("n", DType::kI64);
    auto outer = g.Count(g.Const<int64_t>(0), n, "outer", parallel);
    Value end = g.last_exit();
    Value k = g.Enter(n, "outer", true, parallel);
    Value sum =
        g.LoopMerge(g.Enter(g.Const<int64_t>(0), "outer", false, parallel));
    Node* gate = g.Switch(sum, outer.pred);
    // The inner loop runs i times and adds n each time.
    Value zero = g("Sub", {outer.inside, outer.inside});
    auto inner = g.Count(zero, outer.inside, "inner", parallel);
    Value x = g.LoopMerge(g.Enter(gate->output(1), "inner", false, parallel));
    Node* inner_gate = g.Switch(x, inner.pred);
    g.Round(x, g("Add",
                 {inner_gate->output(1), g.Enter(k, "inner", true, parallel)}));
    g.Round(sum, g("Exit", {inner_gate->output(0)}));
    Value out = g("Exit", {gate->output(0)});
    RawRun run = RunRaw(g.Take({out, end}), {I(6)});
    ASSERT_TRUE(run.status.ok()) << run.status.message();
    EXPECT_EQ(Int(run.results[0]), 6 * 15);
    EXPECT_EQ(run.frames_left, 0);
  }
}

// Rule 9.
TEST(TokenRules, AControlTriggerIsNeverDead) {
  RawGraph g;
  Value x = g.Arg("x", DType::kI64);
  Value dead = g("Identity", {g.False(x, g.Const(true))});
  Node* trigger = g.Add("ControlTrigger", {});
  g.graph().AddControl(*trigger, *dead.node);
  Value after = g("Neg", {x});
  g.graph().AddControl(*after.node, *trigger);
  RawRun run = RunRaw(g.Take({after}), {I(4)});
  ASSERT_TRUE(run.status.ok()) << run.status.message();
  EXPECT_EQ(Int(run.results[0]), -4);
}

// A loop without a NextIteration runs once.
TEST(TokenRules, EnterAnOpAndExit) {
  RawGraph g;
  Value x = g.Arg("x", DType::kI64);
  Value e = g.Enter(x, "f");
  Value y = g("Exit", {g("Mul", {e, e})});
  RawRun run = RunRaw(g.Take({y}), {I(9)});
  ASSERT_TRUE(run.status.ok()) << run.status.message();
  EXPECT_EQ(Int(run.results[0]), 81);
}

TEST(TokenRules, AnIntoThroughAndOutOfSeveralFrames) {
  RawGraph g;
  Value x = g.Arg("x", DType::kI64);
  Value a = g.Enter(g.Enter(x, "a"), "b");
  Value y = g("Exit", {g("Exit", {a})});
  Value again = g("Exit", {g("Neg", {g.Enter(y, "c")})});
  RawRun run = RunRaw(g.Take({again, y}), {I(9)});
  ASSERT_TRUE(run.status.ok()) << run.status.message();
  EXPECT_EQ(Int(run.results[0]), -9);
  EXPECT_EQ(Int(run.results[1]), 9);
  EXPECT_EQ(run.frames_left, 0);
}

// Rule 11: the error names the iteration; all memory is freed.
TEST(TokenRules, AnErrorInALoopEndsItAndSaysWhere) {
  static auto* two = new WorkerPool(2);
  for (WorkerPool* pool : {(WorkerPool*)nullptr, two}) {
    RawGraph g;
    Value n = g.Arg("n", DType::kI64);
    auto loop = g.Count(g.Const<int64_t>(0), n, "f");
    Value small = g("Less", {loop.inside, g.Const<int64_t>(7)});
    Node* check = g.Add("Assert", {small}, {{"message", "too many"}});
    RawRun run = RunRaw(g.Take({g.last_exit()}, {check}), {I(10)},
                        ExecutorChoice::kTokens, pool);
    ASSERT_FALSE(run.status.ok());
    EXPECT_TRUE(Contains(run.status.message(), "too many"));
    EXPECT_TRUE(Contains(run.status.message(), "in iteration 7"))
        << run.status.message();
    EXPECT_EQ(run.frames_left, 0) << run.waiting;
  }
}

}  // namespace
}  // namespace sluice
