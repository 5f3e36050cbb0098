// Tests the graphs that splitting produces, and the errors.
#include "sluice/partition/split_by_task.h"

#include <gtest/gtest.h>

#include "sluice/base/strings.h"
#include "sluice/graph/text_printer.h"
#include "sluice/graph/verifier.h"
#include "sluice/reference/reference_interpreter.h"
#include "sluice/session/split_test_util.h"
#include "sluice/step/executor_test_util.h"

namespace sluice {
namespace {

// "on a" is short for the device of task 0, "on b" and "on c" of the others.
std::unique_ptr<Graph> Parse(std::string text) {
  for (auto [from, to] : {std::pair(" on a", 0), {" on b", 1}, {" on c", 2}}) {
    std::string device = StrCat(" on \"/job:t/task:", to, "\"");
    for (size_t at = text.find(from); at != text.npos;
         at = text.find(from, at + device.size())) {
      text.replace(at, std::string(from).size(), device);
    }
  }
  return MustParse(text);
}

// The messages of a piece, in program order: ">1:7" is a Send of edge 7 to task
// 1, "<0:7" a Recv of it from task 0, "{" and "}" enclose a region.
std::string Messages(const Region& region) {
  std::string out;
  for (const Node* node : region.nodes()) {
    const AttrValue* edge = node->attrs().find("edge");
    if (edge) {
      bool send = node->num_outputs() == 0;
      std::string task = node->attrs().get<std::string>(send ? "to" : "from");
      StrAppend(out, send ? ">" : "<", task.substr(task.size() - 1), ":",
                edge->get<int64_t>(), " ");
    }
    for (const auto& inner : node->regions()) {
      StrAppend(out, "{ ", Messages(*inner), "} ");
    }
  }
  return out;
}

// One line of messages for each piece, after running it.
std::string Split(const Graph& graph, const std::vector<Array>& args = {}) {
  Result<std::vector<TaskPiece>> pieces = SplitByTask(graph);
  if (!pieces.ok()) return pieces.status().ToString();
  std::string out;
  for (const TaskPiece& piece : *pieces) {
    EXPECT_TRUE(Verify(*piece.graph).ok());
    StrAppend(out, piece.task.substr(piece.task.size() - 1), " ",
              Messages(piece.graph->root()), "\n");
  }
  StepContext step;
  step.step_id = 1;
  ResourceManager resources;
  step.resources = &resources;
  auto want = Interpret(graph, args, step);
  EXPECT_TRUE(want.ok()) << want.status().ToString();
  for (uint32_t seed = 1; want.ok() && seed <= 20; ++seed) {
    SplitRun run;
    run.seed = seed;
    run.optimize = seed % 2;
    auto got = RunPieces(*SplitByTask(graph), args, want->size(), run);
    EXPECT_TRUE(got.ok()) << got.status().ToString();
    for (size_t i = 0; got.ok() && i < want->size(); ++i) {
      EXPECT_TRUE((*got)[i].BitEquals((*want)[i])) << i;
    }
  }
  return out;
}

TEST(SplitByTask, AValueIsSentOnceToEachTaskThatReadsIt) {
  auto graph = Parse(R"(graph g(%x: f32[]) -> (%p, %q, %r) {
    %a = Neg(%x) on a
    %p = Add(%a, 1) on b
    %q = Mul(%a, %p) on b
    %r = Mul(%a, %x) on c
  })");
  EXPECT_EQ(Split(*graph, {Array::Scalar(2.0f)}),
            "0 >1:0 >2:1 \n"
            "1 <0:0 \n"
            "2 <0:1 \n");
}

TEST(SplitByTask, FeedsGoToTheTasksThatReadThemAndResultsComeFromOne) {
  auto graph = Parse(R"(graph g(%x: f32[], %y: f32[], %z: f32[]) -> (%b, %y) {
    %a = Neg(%x) on a
    %b = Add(%a, %y) on b
  })");
  Result<std::vector<TaskPiece>> pieces = SplitByTask(*graph);
  ASSERT_TRUE(pieces.ok()) << pieces.status().ToString();
  ASSERT_EQ(pieces->size(), 2u);
  EXPECT_EQ((*pieces)[0].task, "/job:t/task:0");
  EXPECT_EQ((*pieces)[0].args, (std::vector<int>{0, 1}));
  EXPECT_EQ((*pieces)[0].results, (std::vector<int>{1}));
  EXPECT_EQ((*pieces)[1].args, (std::vector<int>{1}));
  EXPECT_EQ((*pieces)[1].results, (std::vector<int>{0}));
}

TEST(SplitByTask, ABranchIsChosenInEveryTaskThatHasWorkInIt) {
  auto graph = Parse(R"(graph g(%x: f32[]) -> (%r) {
    %p = Less(%x, 0) on a
    %y = Neg(%x) on a
    %r = If(%p) [dtypes = {f32}] {
      then() {
        %s = Add(%y, 1) on b
        %t = Mul(%s, 2) on c
        yield %t
      }
      else() {
        %u = Add(%x, 3) on b
        yield %u
      }
    }
  })");
  // The predicate goes to both tasks, y before the branch; the result belongs
  // to the task of the first branch, and the other branch sends it there.
  std::string want =
      "0 >1:0 >2:1 >1:2 \n"
      "1 <0:0 <0:2 { >2:3 } { >2:4 } \n"
      "2 <0:1 { <1:3 } { <1:4 } \n";
  EXPECT_EQ(Split(*graph, {Array::Scalar(2.0f)}), want);
  EXPECT_EQ(Split(*graph, {Array::Scalar(-2.0f)}), want);
}

const char* const kLoop = R"(graph g(%n: i64[], %x: f32[]) -> (%s, %y) {
  %w = Neg(%x) on a
  %zero = Const [value = 0 : i64[]]
  %i, %y, %s = While(%zero, %x, %x) [dtypes = {i64, f32, f32}] {
    cond(%i: i64[], %y: f32[], %s: f32[]) {
      %c = Less(%i, %n) on a
      yield %c
    }
    body(%i: i64[], %y: f32[], %s: f32[]) {
      %j = Add(%i, 1) on a
      %z = Add(%y, %w) on b
      %t = Add(%s, %z) on a
      yield %j, %z, %t
    }
  }
})";

TEST(SplitByTask, WhatABranchReadsIsSentWhenItIsTaken) {
  auto graph = Parse(R"(graph g(%x: f32[], %n: f32[]) -> (%r, %u) {
    %p = Less(%x, 0) on a
    %y = Neg(%x) on a
    %z = Mul(%x, 2) on a
    %v = Mul(%x, -3) on a
    %r, %u = If(%p) [dtypes = {f32, f32}] {
      then() {
        %s = Add(%y, %z) on b
        %w = While(%x) [dtypes = {f32}] {
          cond(%i: f32[]) { %c = Less(%i, %n) on b yield %c }
          body(%i: f32[]) { %j = Add(%i, %v) on b yield %j }
        }
        %t = Mul(%s, %w) on b
        %o = Add(%x, 1) on a
        yield %t, %o
      }
      else() {
        %q = Sub(%z, 1) on b
        %e = Add(%x, 2) on a
        yield %q, %e
      }
    }
  })");
  // Before the branch the predicate, and z, which both branches read. Inside it
  // y and v, which a loop in it reads, once. Nobody has to notify a of the
  // chosen branch: it takes part.
  for (float x : {-1.0f, 1.0f}) {
    EXPECT_EQ(Split(*graph, {Array::Scalar(x), Array::Scalar(5.0f)}),
              "0 >1:0 >1:2 { >1:1 >1:3 } { } \n"
              "1 <0:0 <0:2 { <0:1 <0:3 { } { } } { } \n");
  }
}

TEST(SplitByTask, ALoopSendsThePredicateAndWhatIsReadOncePerIteration) {
  auto graph = Parse(kLoop);
  // The invariant is sent once, before the loop; carried values stay where they
  // are computed, and each task carries those it reads.
  for (int64_t n : {0, 1, 5}) {
    EXPECT_EQ(Split(*graph, {Array::Scalar(n), Array::Scalar(1.0f)}),
              "0 >1:0 { >1:1 } { <1:2 } \n"
              "1 <0:0 { <0:1 } { >0:2 } \n");
  }
  Result<std::vector<TaskPiece>> pieces = SplitByTask(*graph);
  ASSERT_TRUE(pieces.ok());
  EXPECT_EQ((*pieces)[0].results, (std::vector<int>{0}));
  EXPECT_EQ((*pieces)[1].results, (std::vector<int>{1}));
  auto loop_of = [](const TaskPiece& piece) {
    const Node* loop = nullptr;
    for (const Node* node : piece.graph->root().nodes()) {
      if (!node->regions().empty()) loop = node;
    }
    return loop;
  };
  EXPECT_EQ(loop_of((*pieces)[0])->num_outputs(), 2);  // i, s
  EXPECT_EQ(loop_of((*pieces)[1])->num_outputs(), 1);  // y
  // Tags of iterations come from the key.
  EXPECT_EQ(loop_of((*pieces)[0])->key(), loop_of((*pieces)[1])->key());
}

TEST(SplitByTask, ACarriedValueThatAnotherTaskReadsIsCarriedThere) {
  auto graph = Parse(R"(graph g(%n: i64[]) -> (%i, %s) {
    %zero = Const [value = 0 : i64[]]
    %i, %s = While(%zero, %zero) [dtypes = {i64, i64}] {
      cond(%i: i64[], %s: i64[]) {
        %c = Less(%i, %n) on a
        %d = Less(%i, 100) on b
        %e = LogicalAnd(%c, %d) on a
        yield %e
      }
      body(%i: i64[], %s: i64[]) {
        %j = Add(%i, 1) on a
        %t = Add(%s, %i) on b
        yield %j, %t
      }
    }
  })");
  // One message of j serves condition and body of the next iteration.
  EXPECT_EQ(Split(*graph, {Array::Scalar<int64_t>(4)}),
            "0 { <1:0 >1:1 } { >1:2 } \n"
            "1 { >0:0 <0:1 } { <0:2 } \n");
}

TEST(SplitByTask, WaitingForANodeOfAnotherTaskIsATokenFromIt) {
  auto graph = Parse(R"(graph g(%x: f32[]) -> (%r) {
    %v = Variable [dtype = f32, shape = []] on b
    %a = Assign(%v, %x) on b
    %y = Neg(%x) after %a on a
    %r = Add(%y, 1) on a
  })");
  EXPECT_EQ(Split(*graph, {Array::Scalar(2.0f)}),
            "0 <1:0 \n"
            "1 >0:0 \n");
}

// An argument is read in a branch and overwritten before it: the plan ordered
// the reader first, which waited for a message that depended on the writer.
TEST(SplitByTask, ReadersOfAnArgumentDoNotHoldUpWhatTheyWaitFor) {
  auto graph = Parse(R"(graph g(%x: f32[8]) -> (%r, %y) {
    %y = Add(%x, 1) on a
    %p = Sum(%y) [axes = {0}] on b
    %q = Less(%p, 0) on b
    %r = If(%q) [dtypes = {f32}] {
      then() {
        %t = Mul(%x, 2) on a
        yield %t
      }
      else() {
        %u = Mul(%x, 3) on a
        yield %u
      }
    }
  })");
  EXPECT_EQ(Split(*graph, {Array::Zeros(DType::kF32, {8})}),
            "0 >1:0 <1:1 { } { } \n"
            "1 <0:0 >0:1 \n");
}

// ---- Errors ----

std::string Error(const char* text) {
  Result<std::vector<TaskPiece>> pieces = SplitByTask(*Parse(text));
  return pieces.ok() ? "split" : pieces.status().message();
}

TEST(SplitByTask, BadInputIsToldWithNamesAndTasks) {
  EXPECT_EQ(Error(R"(graph g(%x: f32[]) -> (%y) {
    %y = Neg(%x) on "/device:cpu:0"
  })"),
            "[SplitByTask] Neg \"y\" has the device \"/device:cpu:0\"; wanted "
            "one with a job and a task, such as \"/job:worker/task:0\"\n  at "
            "(unknown line) (node \"y\")");
  EXPECT_EQ(Error(R"(graph g() -> (%r) {
    %v = Variable [dtype = f32, shape = []] on a
    %r = ReadVariable(%v) [dtype = f32, shape = []] on b
  })"),
            "[SplitByTask] the resource \"v\" is in /job:t/task:0 and \"r\" in "
            "/job:t/task:1 uses it; wanted a resource and its users in one "
            "task\n  at (unknown line) (node \"v\")\n  at (unknown line) (node "
            "\"r\")");
  EXPECT_EQ(Error(R"(graph g(%x: f32[]) -> (%y) {
    %f = Function {
      body(%u: f32[]) {
        %s = Neg(%u) on a
        %t = Neg(%s) on b
        yield %t
      }
    }
    %y = Call(%f, %x) [dtypes = {f32}]
  })"),
            "[SplitByTask] the function \"f\" has nodes of two tasks: \"s\" of "
            "/job:t/task:0 and \"t\" of /job:t/task:1; wanted all of a "
            "function in one task\n  at (unknown line) (node \"s\")\n  at "
            "(unknown line) (node \"t\")\n  at (unknown line) (node \"f\")");
  EXPECT_EQ(Error(R"(graph g(%x: f32[], %p: bool[]) -> (%y) {
    %f, %t = Switch(%x, %p) on a
    %y = Neg(%t) on b
  })"),
            "[SplitByTask] Neg \"y\" in /job:t/task:1 is part of raw control "
            "flow or depends on it, as Switch \"f\" in /job:t/task:0; wanted "
            "primitives that are no regular conditional or loop, and what "
            "depends on them, in one task\n  at (unknown line) (node \"y\")\n "
            " at (unknown line) (node \"f\")");
}

TEST(SplitByTask, AFunctionRunsInTheTaskOfItsNodes) {
  auto graph = Parse(R"(graph g(%x: f32[]) -> (%z) {
    %w = Neg(%x) on a
    %f = Function {
      body(%u: f32[]) {
        %s = Add(%u, %w) on b
        yield %s
      }
    }
    %y = Call(%f, %x) [dtypes = {f32}] on a
    %z = Neg(%y) on a
  })");
  EXPECT_EQ(Split(*graph, {Array::Scalar(2.0f)}),
            "0 >1:0 <1:1 \n"
            "1 <0:0 { } >0:1 \n");
}

}  // namespace
}  // namespace sluice
