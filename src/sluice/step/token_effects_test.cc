// State, random numbers and errors in loops and branches on the token machine:
// as in program order, whatever runs concurrently.
#include <gtest/gtest.h>

#include "sluice/base/strings.h"
#include "sluice/graph/text_printer.h"
#include "sluice/reference/reference_interpreter.h"
#include "sluice/step/executor_test_util.h"
#include "sluice/step/step.h"

namespace sluice {
namespace {

using Arrays = std::vector<Array>;

Result<Arrays> Reference(const Graph& graph, const Arrays& args) {
  ResourceManager resources;
  StepContext context;
  context.step_id = 1;
  context.resources = &resources;
  return Interpret(graph, args, context);
}

// Results and errors of the interpreter, under every executor and bound.
void ExpectSame(const std::string& text, const Arrays& args) {
  static auto* two_threads = new WorkerPool(2);
  auto graph = MustParse(text);
  Result<Arrays> want = Reference(*graph, args);
  for (int parallel : {1, 4, 32}) {
    auto copy = graph->Clone();
    for (Node* node : copy->root().nodes()) {
      if (node->op().flow == Flow::kLoop) {
        copy->SetAttr(*node, "parallel", parallel);
      }
    }
    for (ExecutorChoice choice :
         {ExecutorChoice::kTokens, ExecutorChoice::kAuto}) {
      for (WorkerPool* pool : {(WorkerPool*)nullptr, two_threads}) {
        ResourceManager resources;
        Result<Arrays> got = RunOnPlan(*copy, args, choice, pool, &resources);
        std::string how =
            StrCat("parallel ", parallel,
                   choice == ExecutorChoice::kTokens ? " tokens" : " auto",
                   pool ? ", two threads\n" : "\n", text);
        ASSERT_EQ(got.ok(), want.ok())
            << how << got.status().message() << want.status().message();
        if (!want.ok()) {
          EXPECT_EQ(got.status().message(), want.status().message()) << how;
          continue;
        }
        for (size_t i = 0; i < want->size(); ++i) {
          EXPECT_TRUE((*got)[i].BitEquals((*want)[i]))
              << how << "result " << i << ": got " << (*got)[i].ToString()
              << ", wanted " << (*want)[i].ToString();
        }
      }
    }
  }
}

TEST(TokenEffects, WritesInALoopKeepProgramOrder) {
  ExpectSame(R"(graph g(%n: i64[]) -> (%before, %after, %x_end) {
    %v = Variable [dtype = f32, shape = []]
    %zero = Const [value = 0 : i64[]]
    %init = Assign(%v, 1.0)
    %before = ReadVariable(%v) [dtype = f32, shape = []]
    %i_end, %x_end = While(%zero, 0.0) [dtypes = {i64, f32}] {
      cond(%i: i64[], %x: f32[]) {
        %c = Less(%i, %n)
        yield %c
      }
      body(%i: i64[], %x: f32[]) {
        %j = Add(%i, 1)
        %r = ReadVariable(%v) [dtype = f32, shape = []]
        %t = Mul(%r, 3.0)
        %w = Assign(%v, %t)
        %r2 = ReadVariable(%v) [dtype = f32, shape = []]
        %y = Sub(%r2, %x)
        yield %j, %y
      }
    }
    %after = ReadVariable(%v) [dtype = f32, shape = []]
  })",
             {Array::Scalar<int64_t>(10)});
}

TEST(TokenEffects, ReadsInALoopComeBeforeAWriteAfterIt) {
  ExpectSame(R"(graph g(%n: i64[]) -> (%x_end, %after) {
    %v = Variable [dtype = f32, shape = []]
    %zero = Const [value = 0 : i64[]]
    %init = Assign(%v, 2.0)
    %i_end, %x_end = While(%zero, 0.0) [dtypes = {i64, f32}] {
      cond(%i: i64[], %x: f32[]) {
        %rc = ReadVariable(%v) [dtype = f32, shape = []]
        %big = Greater(%rc, 1.0)
        %c = Less(%i, %n)
        %both = LogicalAnd(%big, %c)
        yield %both
      }
      body(%i: i64[], %x: f32[]) {
        %j = Add(%i, 1)
        %s = Sleep(%x) [micros = 50]
        %r = ReadVariable(%v) [dtype = f32, shape = []]
        %y = Add(%r, %s)
        yield %j, %y
      }
    }
    %late = Assign(%v, -5.0)
    %after = ReadVariable(%v) [dtype = f32, shape = []]
  })",
             {Array::Scalar<int64_t>(10)});
}

TEST(TokenEffects, OnlyTheTakenBranchWrites) {
  const char* text = R"(graph g(%p: bool[], %n: i64[]) -> (%a, %b, %d) {
    %v = Variable [dtype = f32, shape = []]
    %w = Variable [dtype = f32, shape = []]
    %zero = Const [value = 0 : i64[]]
    %init = Assign(%v, 2.0)
    %init2 = Assign(%w, 0.0)
    %d = If(%p) [dtypes = {f32}] {
      then() {
        %s = AssignAdd(%v, 10.0)
        %r = ReadVariable(%v) [dtype = f32, shape = []]
        yield %r
      }
      else() {
        %i_end = While(%zero) [dtypes = {i64}] {
          cond(%i: i64[]) {
            %c = Less(%i, %n)
            yield %c
          }
          body(%i: i64[]) {
            %j = Add(%i, 1)
            %odd = Mod(%i, 2)
            %is = Equal(%odd, 1)
            %side = If(%is) [dtypes = {}] {
              then() {
                %s2 = AssignAdd(%w, 1.0)
              }
              else() {
                %s3 = AssignAdd(%v, 100.0)
                %m = ReadVariable(%v) [dtype = f32, shape = []]
                %o = AssignAdd(%w, %m)
              }
            }
            yield %j
          }
        }
        %seven = Const [value = 7.0]
        yield %seven
      }
    }
    %a = ReadVariable(%v) [dtype = f32, shape = []]
    %b = ReadVariable(%w) [dtype = f32, shape = []]
  })";
  for (bool p : {true, false}) {
    ExpectSame(text, {Array::Scalar(p), Array::Scalar<int64_t>(7)});
  }
}

// Captures of a loop are always available, even in the last round, whose body
// does not run: a loop in that body must not start.
TEST(TokenEffects, ALoopInABodyThatDoesNotRunWritesNothing) {
  ExpectSame(R"(graph g(%p: bool[], %n: i64[]) -> (%after) {
    %v = Variable [dtype = i64, shape = []]
    %zero = Const [value = 0 : i64[]]
    %init = Assign(%v, %zero)
    %outer = While(%zero) [dtypes = {i64}] {
      cond(%i: i64[]) {
        %c = Less(%i, 3)
        yield %c
      }
      body(%i: i64[]) {
        %inner = While(%zero) [dtypes = {i64}] {
          cond(%a: i64[]) {
            %none = If(%p) [dtypes = {}] {
              then() { %w = AssignAdd(%v, %n) }
              else() { %u = AssignSub(%v, %n) }
            }
            %d = Less(%a, 2)
            yield %d
          }
          body(%a: i64[]) {
            %b = Add(%a, 1)
            yield %b
          }
        }
        %j = Add(%i, 1)
        yield %j
      }
    }
    %after = ReadVariable(%v) [dtype = i64, shape = []]
  })",
             {Array::Scalar(true), Array::Scalar<int64_t>(100)});
}

// The loop with a Sleep is lowered under every executor: random numbers of
// calls stay the same although islands form around them.
TEST(TokenEffects, EveryIterationAndCallDrawsItsOwnNumbers) {
  ExpectSame(R"(graph g(%n: i64[]) -> (%x_end, %once) {
    %zero = Const [value = 0 : i64[]]
    %draw = Function() {
      body(%a: f32[4]) {
        %u = RandomUniform() [shape = [4]]
        %ya = Add(%u, %a)
        yield %ya
      }
    }
    %start = RandomUniform() [shape = [4]]
    %once = Call(%draw, %start) [dtypes = {f32}]
    %i_end, %x_end = While(%zero, %start) [dtypes = {i64, f32}] {
      cond(%i: i64[], %x: f32[4]) {
        %c = Less(%i, %n)
        yield %c
      }
      body(%i: i64[], %x: f32[4]) {
        %j = Add(%i, 1)
        %r = RandomUniform() [shape = [4]]
        %s = Sleep(%x) [micros = 10]
        %y = Sub(%r, %s)
        %z = Call(%draw, %y) [dtypes = {f32}]
        yield %j, %z
      }
    }
  })",
             {Array::Scalar<int64_t>(5)});
}

TEST(TokenEffects, AnErrorInIterationSevenSaysSo) {
  ExpectSame(R"(graph g(%n: i64[]) -> (%r) {
    %zero = Const [value = 0 : i64[]]
    %r = While(%zero) [dtypes = {i64}] {
      cond(%i: i64[]) {
        %c = Less(%i, %n)
        yield %c
      }
      body(%i: i64[]) {
        %small = Less(%i, 7)
        %check = Assert(%small) [message = "too many"]
        %j = Add(%i, 1)
        yield %j
      }
    }
  })",
             {Array::Scalar<int64_t>(10)});
}

TEST(TokenEffects, ABadPredicateIsTheLoopsOrTheBranchsError) {
  ExpectSame(R"(graph g(%p: bool[...]) -> (%r) {
    %one = Const [value = 1]
    %r = If(%p) [dtypes = {i32}] {
      then() { yield %one }
      else() { yield %one }
    }
  })",
             {Array::Vector<bool>({true, false})});
  ExpectSame(R"(graph g(%p: bool[...]) -> (%r) {
    %r = While(0) [dtypes = {i32}] {
      cond(%i: i32[]) { yield %p }
      body(%i: i32[]) { yield %i }
    }
  })",
             {Array::Vector<bool>({true, false})});
  ExpectSame(R"(graph g(%k: i32[]) -> (%r) {
    %r = Case(%k) [dtypes = {i32}] {
      branch0() { yield %k }
      branch1() { yield %k }
    }
  })",
             {Array::Scalar<int32_t>(5)});
}

}  // namespace
}  // namespace sluice
