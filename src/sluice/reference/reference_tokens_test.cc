// The rules of tokens, frames and deadness in the reference interpreter. Other
// tests compare every executor with it.
#include "sluice/reference/reference_tokens.h"

#include <gtest/gtest.h>

#include "sluice/op/resource.h"
#include "sluice/reference/reference_interpreter.h"
#include "sluice/step/executor_test_util.h"

namespace sluice {
namespace {

Result<std::vector<Array>> RunText(const std::string& text,
                                   const std::vector<Array>& args,
                                   ResourceManager* resources = nullptr,
                                   Cancellation* cancellation = nullptr) {
  std::unique_ptr<Graph> graph = MustParse(text);
  StepContext step;
  step.step_id = 1;
  step.resources = resources;
  step.cancellation = cancellation;
  return Interpret(*graph, args, step);
}

std::string Text(const Result<std::vector<Array>>& results) {
  if (!results.ok()) return results.status().message();
  std::string text;
  for (const Array& a : *results) {
    text += (text.empty() ? "" : "; ") + a.ToString();
  }
  return text;
}

Array I(int32_t v) { return Array::Scalar<int32_t>(v); }
Array B(bool v) { return Array::Scalar<bool>(v); }

const char* const kCond = R"(graph g(%p: bool[], %x: i32[]) -> (%y, %y:1) {
  %s = Switch(%x, %p)
  %t = Neg(%s:1)
  %y = Merge(%s, %t)
})";

TEST(Tokens, SwitchSendsOneWayAndMergeTakesWhatComes) {
  EXPECT_EQ(Text(RunText(kCond, {B(true), I(3)})), "-3; 1");
  EXPECT_EQ(Text(RunText(kCond, {B(false), I(3)})), "3; 0");
}

TEST(Tokens, AMergeOfTheDeadIsDead) {
  const char* text = R"(graph g(%p: bool[], %x: i32[]) -> (%z) {
    %s = Switch(%x, %p)
    %a = Neg(%s)
    %b = Neg(%s)
    %m = Merge(%a, %b)
    %z = Merge(%m, %s:1)
  })";
  EXPECT_EQ(Text(RunText(text, {B(true), I(3)})), "3");
  EXPECT_EQ(Text(RunText(text, {B(false), I(3)})), "-3");
}

TEST(Tokens, ADeadFetchNamesTheSwitchAndThePredicate) {
  const char* text = R"(graph g(%p: bool[], %x: i32[]) -> (%b) {
    %s = Switch(%x, %p) @ "model.cc":7
    %a = Neg(%s)
    %b = Add(%x, %a) @ "model.cc":9
  })";
  std::string want =
      "fetch \"b\" is dead: predicate \"p\" of Switch \"s\" is true, and the "
      "fetch is computed only when it is false; wanted a value that is "
      "computed either way, such as the output of a Merge\n"
      "  at model.cc:9 (node \"b\")\n  decided at model.cc:7 (node \"s\")";
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(Text(RunText(text, {B(true), I(3)})), want);
  }
  EXPECT_EQ(Text(RunText(text, {B(false), I(3)})), "0");
}

TEST(Tokens, DeathComesThroughControlEdgesButNotPastATrigger) {
  const char* text = R"(graph g(%p: bool[], %x: i32[]) -> (%z) {
    %s = Switch(%x, %p)
    %a = Neg(%s)
    %b = Neg(%x) after %a
    %t = ControlTrigger() after %a
    %c = Exp(1) after %t
    %m = Merge(%b, %s:1)
    %d = Identity(%m) after %c
    %z = Identity(%d)
  })";
  EXPECT_EQ(Text(RunText(text, {B(true), I(3)})), "3");
  EXPECT_EQ(Text(RunText(text, {B(false), I(3)})), "-3");
}

TEST(Tokens, AMergeWaitsForControlsButTheyDoNotKillIt) {
  const char* text = R"(graph g(%p: bool[], %x: i32[]) -> (%m) {
    %s = Switch(%x, %p)
    %a = Neg(%s)
    %m = Merge(%x) after %a
  })";
  EXPECT_EQ(Text(RunText(text, {B(true), I(3)})), "3");
}

// v * v, n times, with a counter i. The body's %v1 may be replaced.
std::string Loop(const std::string& body, const std::string& more = "",
                 const std::string& results = "%out, %count") {
  return "graph g(%n: i32[], %x: i32[]) -> (" + results + R"() {
    %zero = Const [value = 0]
    %one = Const [value = 1]
    %i_in = Enter(%zero) [frame = "loop"]
    %v_in = Enter(%x) [frame = "loop"]
    %n_in = Enter(%n) [frame = "loop", constant = true]
    %one_in = Enter(%one) [frame = "loop", constant = true]
    %i = Merge(%i_in, %i_next)
    %v = Merge(%v_in, %v_next)
    %less = Less(%i, %n_in)
    %p = LoopCond(%less)
    %i_sw = Switch(%i, %p)
    %v_sw = Switch(%v, %p)
    %i1 = Add(%i_sw:1, %one_in)
    )" + body +
         R"(
    %i_next = NextIteration(%i1)
    %v_next = NextIteration(%v1)
    %count = Exit(%i_sw)
    %out = Exit(%v_sw)
    )" + more +
         "}";
}

TEST(Tokens, ALoopRunsAsOftenAsItsConditionSays) {
  std::string text = Loop("%v1 = Mul(%v_sw:1, %v_sw:1)");
  EXPECT_EQ(Text(RunText(text, {I(3), I(2)})), "256; 3");
  EXPECT_EQ(Text(RunText(text, {I(1), I(2)})), "4; 1");
}

TEST(Tokens, ConstantsAreAtHomeInEveryIteration) {
  EXPECT_EQ(Text(RunText(R"(graph g(%x: i32[]) -> (%y) {
    %e = Enter(%x) [frame = "f"]
    %i = Merge(%e, %n)
    %ten = Const [value = 10 : i32[]]
    %p = Less(%i, %ten)
    %c = LoopCond(%p)
    %s = Switch(%i, %c)
    %three = Const [value = 3 : i32[]]
    %k = Add(%s:1, %three)
    %n = NextIteration(%k)
    %y = Exit(%s)
  })",
                         {I(2)})),
            "11");
}

TEST(Tokens, ZeroIterationsGiveWhatEntered) {
  std::string text = Loop("%v1 = Mul(%v_sw:1, %v_sw:1)");
  EXPECT_EQ(Text(RunText(text, {I(0), I(7)})), "7; 0");
  EXPECT_EQ(Text(RunText(text, {I(-5), I(7)})), "7; 0");
}

TEST(Tokens, ACondInALoop) {
  // Odd iterations add i, even ones subtract.
  std::string text = Loop(R"(
    %bit = BitwiseAnd(%i_sw:1, %one_in)
    %odd = Equal(%bit, %one_in)
    %vb = Switch(%v_sw:1, %odd)
    %ib = Switch(%i_sw:1, %odd)
    %plus = Add(%vb:1, %ib:1)
    %minus = Sub(%vb, %ib)
    %v1 = Merge(%minus, %plus))");
  EXPECT_EQ(Text(RunText(text, {I(6), I(100)})), "103; 6");  // -0+1-2+3-4+5
}

TEST(Tokens, ALoopInALoop) {
  // v += (0 + 1 + ... + i) by an inner loop that runs i + 1 times.
  std::string text = Loop(R"(
    %j_in = Enter(%i_sw:1) [frame = "inner"]
    %w_in = Enter(%v_sw:1) [frame = "inner"]
    %one_2 = Enter(%one_in) [frame = "inner", constant = true]
    %zero_1 = Sub(%i_sw:1, %i_sw:1)
    %zero_2 = Enter(%zero_1) [frame = "inner", constant = true]
    %j = Merge(%j_in, %j_next)
    %w = Merge(%w_in, %w_next)
    %more = GreaterEqual(%j, %zero_2)
    %q = LoopCond(%more)
    %j_sw = Switch(%j, %q)
    %w_sw = Switch(%w, %q)
    %j1 = Sub(%j_sw:1, %one_2)
    %w1 = Add(%w_sw:1, %j_sw:1)
    %j_next = NextIteration(%j1)
    %w_next = NextIteration(%w1)
    %v1 = Exit(%w_sw))");
  EXPECT_EQ(Text(RunText(text, {I(4), I(0)})), "10; 4");  // 0 + 1 + 3 + 6
  EXPECT_EQ(Text(RunText(text, {I(0), I(5)})), "5; 0");
}

// A loop on the branch not taken: its Enter is dead, so are its Exits, and no
// node of the body runs.
TEST(Tokens, ALoopOnTheBranchNotTaken) {
  const char* text = R"(graph g(%p: bool[], %x: i32[]) -> (%y, %y:1) {
    %s = Switch(%x, %p)
    %ten = Const [value = 10]
    %e = Enter(%s:1) [frame = "f"]
    %limit = Enter(%ten) [frame = "f", constant = true]
    %m = Merge(%e, %n)
    %less = Less(%m, %limit)
    %c = LoopCond(%less)
    %sw = Switch(%m, %c)
    %d = Add(%sw:1, %sw:1)
    %n = NextIteration(%d)
    %o = Exit(%sw)
    %y = Merge(%s, %o)
  })";
  EXPECT_EQ(Text(RunText(text, {B(true), I(3)})), "12; 1");
  EXPECT_EQ(Text(RunText(text, {B(false), I(3)})), "3; 0");
}

TEST(Tokens, ADeadLoopsExitIsADeadFetch) {
  const char* text = R"(graph g(%p: bool[], %x: i32[]) -> (%o) {
    %s = Switch(%x, %p)
    %e = Enter(%s:1) [frame = "f"]
    %m = Merge(%e, %n)
    %yes = Equal(%m, %m)
    %no = LogicalNot(%yes)
    %c = LoopCond(%no)
    %sw = Switch(%m, %c)
    %n = NextIteration(%sw:1)
    %o = Exit(%sw)
  })";
  EXPECT_EQ(Text(RunText(text, {B(true), I(3)})), "3");
  std::string error = Text(RunText(text, {B(false), I(3)}));
  EXPECT_NE(
      error.find("fetch \"o\" is dead: predicate \"p\" of Switch \"s\" is "
                 "false"),
      std::string::npos)
      << error;
}

TEST(Tokens, TheSwitchInALoopThatDecidedIsNamedWithItsIteration) {
  // An Exit from the continuing side is dead when the loop ends.
  std::string text =
      Loop("%v1 = Mul(%v_sw:1, %v_sw:1)", "%late = Exit(%v1)", "%late");
  EXPECT_NE(Text(RunText(text, {I(0), I(2)}))
                .find("fetch \"late\" is dead: predicate \"p\" of Switch "
                      "\"v_sw\" is false in iteration 0 of frame \"loop\""),
            std::string::npos)
      << Text(RunText(text, {I(0), I(2)}));
  EXPECT_EQ(Text(RunText(text, {I(1), I(2)})), "4");
  EXPECT_NE(Text(RunText(text, {I(2), I(2)}))
                .find("[Exit] leaves frame \"loop\" a second time"),
            std::string::npos);
}

TEST(Tokens, AValueInsideALoopCannotBeFetched) {
  std::string text = Loop("%v1 = Mul(%v_sw:1, %v_sw:1)", "", "%v1");
  EXPECT_EQ(Text(RunText(text, {I(3), I(2)})).substr(0, 39),
            "fetch \"v1\" lies inside frame \"loop\"; wa");
}

TEST(Tokens, AnErrorNamesItsIterations) {
  // 1 / v in integers: v reaches 0 in iteration 2.
  std::string text = Loop(R"(
    %v1 = Sub(%v_sw:1, %one_in)
    %ok = NotEqual(%v1, %v2)
    %v2 = Sub(%one_in, %one_in)
    %a = Assert(%ok, %v1) [message = "v ran out"])");
  std::string swapped = text;
  size_t ok = swapped.find("%ok ="), v2 = swapped.find("%v2 =");
  std::string line = swapped.substr(v2, swapped.find('\n', v2) - v2 + 1);
  swapped.erase(v2, line.size()).insert(ok, line);
  std::string error = Text(RunText(swapped, {I(9), I(3)}));
  EXPECT_NE(error.find("v ran out: 0"), std::string::npos) << error;
  EXPECT_NE(error.find("\n  in iteration 2 of frame \"loop\""),
            std::string::npos)
      << error;
}

TEST(Tokens, AStepThatCannotGoOnSaysWhoWaitsForWhat) {
  // %x is used in the loop without an Enter.
  std::string text = Loop("%v1 = Add(%v_sw:1, %x) @ \"model.cc\":5");
  EXPECT_EQ(Text(RunText(text, {I(3), I(2)})),
            "the step cannot go on: nothing is left to run, and fetch \"out\" "
            "has not come\n"
            "  [Add] waits for a = \"v_sw:1\"  at model.cc:5 (node \"v1\")");
}

TEST(Tokens, AFrameWaitsForAllItsEntrances) {
  const char* text = R"(graph g(%x: i32[]) -> (%o) {
    %a = Enter(%x) [frame = "f"]
    %lost = Add(%a, %x)
    %b = Enter(%lost) [frame = "f"] @ "m.cc":3
    %o = Exit(%b)
  })";
  std::string error = Text(RunText(text, {I(3)}));
  EXPECT_NE(error.find("fetch \"o\" has not come"), std::string::npos) << error;
  EXPECT_NE(error.find("[Enter] waits for x = \"lost\"  at m.cc:3"),
            std::string::npos)
      << error;
}

TEST(Tokens, APredicateThatIsNoneIsNamed) {
  const char* text = R"(graph g(%p: bool[2], %x: i32[]) -> (%m) {
    %s = Switch(%x, %p)
    %m = Merge(%s, %s:1)
  })";
  Array p = *Array::Make(DType::kBool, Shape({2}));
  p.mutable_data<bool>()[0] = p.mutable_data<bool>()[1] = true;
  std::string error = Text(RunText(text, {p, I(3)}));
  EXPECT_NE(error.find("[Switch] the predicate is bool[2]; wanted a scalar of "
                       "bool"),
            std::string::npos)
      << error;
}

TEST(Tokens, ALoopWithoutEndCanBeCancelled) {
  Cancellation cancellation;
  cancellation.Cancel(Cancelled("enough"));
  std::string text = Loop("%v1 = Mul(%v_sw:1, %v_sw:1)");
  EXPECT_EQ(Text(RunText(text, {I(1 << 30), I(1)}, nullptr, &cancellation)),
            "enough");
}

TEST(Tokens, EveryIterationDrawsItsOwnNumbers) {
  std::string text = Loop(R"(
    %r = RandomUniform() [dtype = f32, shape = []] after %i1
    %v1 = Identity(%v_sw:1)
    %keep = Add(%u_sw:1, %r)
    %u_next = NextIteration(%keep))",
                          "%u_out = Exit(%u_sw)", "%u_out");
  std::string carry = R"(
    %half = Const [value = 0.0]
    %u_in = Enter(%half) [frame = "loop"]
    %u = Merge(%u_in, %u_next)
    )";
  text.insert(text.find("%less ="), carry);
  text.insert(text.find("%i1 ="), "%u_sw = Switch(%u, %p)\n");
  Result<std::vector<Array>> one = RunText(text, {I(1), I(0)});
  Result<std::vector<Array>> two = RunText(text, {I(2), I(0)});
  ASSERT_TRUE(one.ok() && two.ok()) << Text(one) << Text(two);
  float first = *(*one)[0].data<float>(), sum = *(*two)[0].data<float>();
  EXPECT_NE(sum, 2 * first);
  EXPECT_EQ(Text(RunText(text, {I(2), I(0)})), Text(two));
}

TEST(Tokens, StructuredOpsInsideARawLoop) {
  // A conditional and a call in the body, which capture values of the frame.
  std::string text = Loop(R"(
    %go = Less(%v_sw:1, %n_in)
    %v1 = If(%go) [dtypes = {i32}] {
      then() { %t = Add(%v_sw:1, %i_sw:1) yield %t }
      else() { %c = Call(%f, %v_sw:1) [dtypes = {i32}] yield %c }
    })");
  text.insert(text.find("%i = Merge"),
              "%f = Function() after %i_in "
              "{ body(%k2: i32[]) { %r2 = Neg(%k2) yield %r2 } }\n");
  // %f lives in iteration 0 only, where the Enter it waits for delivers a
  // token.
  EXPECT_EQ(Text(RunText(text, {I(1), I(5)})), "-5; 1");
  EXPECT_EQ(Text(RunText(text, {I(1), I(0)})), "0; 1");
}

// Found by random graphs: the output of a Merge was considered as dead as one
// of its sides, so both were put into one island.
TEST(Tokens, WhatAMergeGivesLivesLongerThanItsSides) {
  std::unique_ptr<Graph> graph =
      MustParse(R"(graph g(%p: bool[], %x: i32[]) -> (%a, %b) {
    %s = Switch(%x, %p)
    %m = Merge(%s:1, %s)
    %a = Add(%x, %m)
    %t = Switch(%m, %p)
    %c = Add(%x, %t)
    %d = Mul(%a, %c)
    %u = Add(%s, %m)
    %e = Mul(%a, %u)
    %b = Merge(%e, %d, %t:1)
  })");
  ExpectAllAgree(*graph, {B(true), I(3)});
}

TEST(Tokens, ARawLoopInsideABranch) {
  const char* text = R"(graph g(%p: bool[], %x: i32[]) -> (%y) {
    %y = If(%p) [dtypes = {i32}] {
      then() {
        %ten = Const [value = 10]
        %e = Enter(%x) [frame = "f"]
        %limit = Enter(%ten) [frame = "f", constant = true]
        %m = Merge(%e, %n)
        %less = Less(%m, %limit)
        %c = LoopCond(%less)
        %sw = Switch(%m, %c)
        %d = Add(%sw:1, %sw:1)
        %n = NextIteration(%d)
        %o = Exit(%sw)
        yield %o
      }
      else() { yield %x }
    }
  })";
  EXPECT_EQ(Text(RunText(text, {B(true), I(3)})), "12");
  EXPECT_EQ(Text(RunText(text, {B(false), I(3)})), "3");
}

}  // namespace
}  // namespace sluice
