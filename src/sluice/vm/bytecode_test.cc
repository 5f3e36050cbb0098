// Conditionals, loops and calls compiled for one thread must behave as in the
// reference interpreter.
#include "sluice/vm/bytecode.h"

#include <gtest/gtest.h>

#include "sluice/base/strings.h"
#include "sluice/reference/reference_interpreter.h"
#include "sluice/step/executor_test_util.h"

namespace sluice {
namespace {

Array F32(float x) { return Array::Scalar(x); }
Array I32(int32_t x) { return Array::Scalar(x); }
Array I64(int64_t x) { return Array::Scalar(x); }

std::string ErrorOf(const Graph& graph, const std::vector<Array>& args) {
  Result<std::vector<Array>> got =
      RunOnPlan(graph, args, ExecutorChoice::kAuto, nullptr);
  EXPECT_FALSE(got.ok());
  return got.ok() ? "" : got.status().message();
}

// The same error, word for word, as the interpreter's.
std::string ExpectSameError(const std::string& text,
                            const std::vector<Array>& args) {
  auto graph = MustParse(text);
  StepContext step;
  step.step_id = 1;
  Result<std::vector<Array>> want = Interpret(*graph, args, step);
  EXPECT_FALSE(want.ok());
  std::string got = ErrorOf(*graph, args);
  if (!want.ok()) {
    EXPECT_EQ(got, want.status().message());
  }
  return got;
}

const char kCount[] = R"(graph g(%n: i32[]) -> (%w, %w:1) {
  %w = While(0, 1.0) [dtypes = {i32, f32}] {
    cond(%i: i32[], %x: f32[]) { %c = Less(%i, %n) yield %c }
    body(%i: i32[], %x: f32[]) {
      %j = Add(%i, 1)
      %h = Mul(%x, 0.5)
      %y = Add(%h, 1.0)
      yield %j, %y
    }
  }
})";

TEST(Bytecode, LoopsOfScalars) {
  auto graph = MustParse(kCount);
  for (int n : {-3, 0, 1, 2, 17}) {
    auto out = ExpectAllAgree(*graph, {I32(n)});
    ASSERT_EQ(out.size(), 2u);
    EXPECT_EQ(*out[0].data<int32_t>(), std::max(n, 0));
  }
}

TEST(Bytecode, CarriedValuesTradePlaces) {
  auto graph = MustParse(R"(graph g(%n: i32[], %a: f32[3], %s: f32[])
      -> (%w:1, %w:2, %w:3, %w:4, %w:5, %w:6) {
    %w = While(0, %a, 1.5, %s, 2.5, %a, 4) [dtypes = {i32,f32,f32,f32,f32,f32,i32}] {
      cond(%i: i32[], %p: f32[3], %x: f32[], %y: f32[], %z: f32[], %q: f32[3], %k: i32[]) {
        %c = Less(%i, %n) yield %c
      }
      body(%i: i32[], %p: f32[3], %x: f32[], %y: f32[], %z: f32[], %q: f32[3], %k: i32[]) {
        %j = Add(%i, 1)
        %r = Add(%q, %x)
        yield %j, %r, %y, %z, %x, %p, %i
      }
    }
  })");
  for (int n : {0, 1, 2, 5}) {
    ExpectAllAgree(*graph, {I32(n), Array::Vector<float>({1, 2, 3}), F32(7)});
  }
}

TEST(Bytecode, ACellIsNotWrittenWhileItIsStillRead) {
  auto graph = MustParse(R"(graph g(%n: i32[]) -> (%w, %w:1, %w:2) {
    %w = While(0, 1, 0) [dtypes = {i32, i32, i32}] {
      cond(%i: i32[], %a: i32[], %b: i32[]) { %c = Less(%i, %n) yield %c }
      body(%i: i32[], %a: i32[], %b: i32[]) {
        %same = Identity(%i)
        %j = Add(%i, 1)
        %a2 = Mul(%a, 3)
        %b2 = Add(%a, %same)
        yield %j, %a2, %b2
      }
    }
  })");
  auto out = ExpectAllAgree(*graph, {I32(4)});
  EXPECT_EQ(*out[2].data<int32_t>(), 27 + 3);
}

TEST(Bytecode, BranchesOfDifferentShapes) {
  auto graph = MustParse(
      R"(graph g(%p: bool[], %x: f32[3], %s: f32[]) -> (%y, %y:1, %y:2) {
    %y = If(%p) [dtypes = {f32, f32, f32}] {
      then() { %a = Add(%x, %s) yield %a, %s, %x }
      else() { %b = Mul(%s, %s) yield %b, %b, %b }
    }
  })");
  for (bool p : {true, false}) {
    ExpectAllAgree(*graph,
                   {Array::Scalar(p), Array::Vector<float>({1, 2, 3}), F32(4)});
  }
}

TEST(Bytecode, CasesByNumber) {
  for (const char* type : {"i32", "i64"}) {
    auto graph =
        MustParse(StrCat("graph g(%k: ", type, R"([], %x: f32[]) -> (%y) {
      %y = Case(%k) [dtypes = {f32}, has_default = true] {
        branch0() { %a = Add(%x, 1.0) yield %a }
        branch1() { %b = Mul(%x, 2.0) yield %b }
        branch2() { %c = Const [value = 9.0] yield %c }
      }
    })"));
    for (int k : {-1, 0, 1, 2, 3}) {
      Array index = type[1] == '3' ? I32(k) : I64(k);
      ExpectAllAgree(*graph, {index, F32(5)});
    }
  }
}

TEST(Bytecode, AnIndexOutOfRangeIsAnError) {
  std::string error = ExpectSameError(R"(graph g(%k: i32[]) -> (%y) {
    %y = Case(%k) [dtypes = {f32}] {
      branch0() { %a = Const [value = 1.0] yield %a }
      branch1() { %b = Const [value = 2.0] yield %b }
    }
  })",
                                      {I32(2)});
  EXPECT_NE(error.find("the index is 2; wanted one of the 2 branches"),
            error.npos)
      << error;
}

TEST(Bytecode, CarriedShapesMayChange) {
  auto graph = MustParse(R"(graph g(%n: i32[], %x: f32[?]) -> (%w:1) {
    %w = While(0, %x) [dtypes = {i32, f32}] {
      cond(%i: i32[], %a: f32[?]) { %c = Less(%i, %n) yield %c }
      body(%i: i32[], %a: f32[?]) {
        %j = Add(%i, 1)
        %y = Concat(%a, %a) [axis = 0]
        yield %j, %y
      }
    }
  })");
  auto out = ExpectAllAgree(*graph, {I32(5), Array::Vector<float>({1, 2})});
  EXPECT_EQ(out[0].dim(0), 64);
}

TEST(Bytecode, LoopsInBranchesInLoops) {
  auto graph = MustParse(R"(graph g(%n: i32[], %x: f32[4]) -> (%w, %w:1, %w:2) {
    %w = While(0, %x, 0) [dtypes = {i32, f32, i32}] {
      cond(%i: i32[], %a: f32[4], %s: i32[]) { %c = Less(%i, %n) yield %c }
      body(%i: i32[], %a: f32[4], %s: i32[]) {
        %j = Add(%i, 1)
        %m = Mod(%i, 3)
        %odd = Equal(%m, 1)
        %r = If(%odd) [dtypes = {f32, i32}] {
          then() {
            %v = While(0, %a, %s) [dtypes = {i32, f32, i32}] {
              cond(%k: i32[], %b: f32[4], %t: i32[]) { %d = Less(%k, %i) yield %d }
              body(%k: i32[], %b: f32[4], %t: i32[]) {
                %l = Add(%k, 1)
                %b1 = Mul(%b, 0.5)
                %b2 = Add(%b1, %x)
                %b3 = Tanh(%b2)
                %t2 = Add(%t, %k)
                yield %l, %b3, %t2
              }
            }
            yield %v:1, %v:2
          }
          else() { %s2 = Sub(%s, %i) yield %a, %s2 }
        }
        yield %j, %r, %r:1
      }
    }
  })");
  for (int n : {0, 1, 2, 9}) {
    ExpectAllAgree(*graph,
                   {I32(n), Array::Vector<float>({0.5f, -1, 2, 0.25f})});
  }
}

const char kFibonacci[] = R"(graph g(%n: i32[]) -> (%y) {
  %f = Function() {
    body(%k: i32[]) {
      %small = Less(%k, 2)
      %r = If(%small) [dtypes = {i32}] {
        then() { yield %k }
        else() {
          %k1 = Sub(%k, 1)
          %k2 = Sub(%k, 2)
          %a = Call(%f, %k1) [dtypes = {i32}]
          %b = Call(%f, %k2) [dtypes = {i32}]
          %s = Add(%a, %b)
          yield %s
        }
      }
      yield %r
    }
  }
  %y = Call(%f, %n) [dtypes = {i32}]
})";

TEST(Bytecode, Recursion) {
  auto graph = MustParse(kFibonacci);
  auto out = ExpectAllAgree(*graph, {I32(12)});
  EXPECT_EQ(*out[0].data<int32_t>(), 144);
}

TEST(Bytecode, FunctionsReadWhatIsAroundThem) {
  // even calls odd, which is nested inside it and reads even's argument.
  auto graph = MustParse(R"(graph g(%n: i32[], %x: f32[2]) -> (%y, %z) {
    %even = Function() {
      body(%k: i32[], %acc: f32[2]) {
        %odd = Function() {
          body(%m: i32[]) {
            %done = Less(%m, 1)
            %r = If(%done) [dtypes = {f32}] {
              then() { yield %acc }
              else() {
                %m1 = Sub(%m, 1)
                %scaled = Add(%acc, %x)
                %deeper = Call(%even, %m1, %scaled) [dtypes = {f32}]
                yield %deeper
              }
            }
            yield %r
          }
        }
        %zero = Less(%k, 1)
        %r2 = If(%zero) [dtypes = {f32}] {
          then() { %q = Neg(%acc) yield %q }
          else() {
            %k1 = Sub(%k, 1)
            %s = Call(%odd, %k1) [dtypes = {f32}]
            %t = Add(%s, %acc)
            yield %t
          }
        }
        yield %r2
      }
    }
    %y = Call(%even, %n, %x) [dtypes = {f32}]
    %z = While(0, %x) [dtypes = {i32, f32}] {
      cond(%i: i32[], %a: f32[2]) { %c = Less(%i, 3) yield %c }
      body(%i: i32[], %a: f32[2]) {
        %j = Add(%i, 1)
        %b = Call(%even, %j, %a) [dtypes = {f32}]
        yield %j, %b
      }
    }
  })");
  for (int n : {0, 1, 2, 7}) {
    ExpectAllAgree(*graph, {I32(n), Array::Vector<float>({1, -2})});
  }
}

TEST(Bytecode, TheSameValueTwiceAndConstants) {
  auto graph =
      MustParse(R"(graph g(%p: bool[], %x: f32[3]) -> (%y, %y:1, %y:2, %y:3) {
    %c = Const [value = [1.0 2.0]]
    %y = If(%p) [dtypes = {f32, f32, f32, f32}] {
      then() { %a = Neg(%x) yield %a, %a, %c, %x }
      else() { %k = Const [value = 3.0] yield %x, %x, %k, %c }
    }
  })");
  for (bool p : {true, false}) {
    ExpectAllAgree(*graph, {Array::Scalar(p), Array::Vector<float>({1, 2, 3})});
  }
}

TEST(Bytecode, EveryIterationAndCallDrawsItsOwnNumbers) {
  auto graph = MustParse(R"(graph g(%n: i32[]) -> (%w:1, %y) {
    %f = Function() {
      body(%k: i32[]) { %r = RandomUniform() [shape = [4]] yield %r }
    }
    %zero = Const [value = [0.0 0.0 0.0 0.0]]
    %w = While(0, %zero) [dtypes = {i32, f32}] {
      cond(%i: i32[], %a: f32[4]) { %c = Less(%i, %n) yield %c }
      body(%i: i32[], %a: f32[4]) {
        %j = Add(%i, 1)
        %r2 = RandomUniform() [shape = [4]]
        %d = Call(%f, %i) [dtypes = {f32}]
        %v = While(0, %a) [dtypes = {i32, f32}] {
          cond(%k2: i32[], %b: f32[4]) { %e = Less(%k2, 2) yield %e }
          body(%k2: i32[], %b: f32[4]) {
            %l = Add(%k2, 1)
            %r3 = RandomUniform() [shape = [4]]
            %b2 = Add(%b, %r3)
            yield %l, %b2
          }
        }
        %s = Add(%v:1, %r2)
        %t = Add(%s, %d)
        yield %j, %t
      }
    }
    %y = Call(%f, 3) [dtypes = {f32}]
  })");
  ExpectAllAgree(*graph, {I32(4)});
}

TEST(Bytecode, AtMostSoManyIterations) {
  for (int most : {0, 1, 3}) {
    auto graph = MustParse(StrCat(R"(graph g(%x: f32[2]) -> (%w, %w:1) {
      %w = While(0, %x) [dtypes = {i32, f32}, maximum = )",
                                  most, R"(] {
        cond(%i: i32[], %a: f32[2]) { %c = Less(%i, 2) yield %c }
        body(%i: i32[], %a: f32[2]) {
          %j = Add(%i, 1) %b = Add(%a, %a) yield %j, %b
        }
      }
    })"));
    ExpectAllAgree(*graph, {Array::Vector<float>({1, 2})});
  }
}

TEST(Bytecode, AnErrorSaysNodeAndIterations) {
  std::string error = ExpectSameError(R"(graph g(%x: f32[3]) -> (%w:1) {
    %w = While(0, %x) [dtypes = {i32, f32}] @ "loop.cc":3 {
      cond(%i: i32[], %a: f32[3]) { %c = Less(%i, 10) yield %c }
      body(%i: i32[], %a: f32[3]) run %ok {
        %j = Add(%i, 1)
        %good = NotEqual(%i, 7)
        %ok = Assert(%good, %i) [message = "seven"]
        yield %j, %a
      }
    }
  })",
                                      {Array::Vector<float>({1, 2, 3})});
  EXPECT_NE(error.find("[Assert] seven: 7"), error.npos) << error;
  EXPECT_NE(error.find("in iteration 7 of the loop"), error.npos) << error;
}

TEST(Bytecode, AnErrorSaysTheCallsToo) {
  std::string error =
      ErrorOf(*MustParse(R"(graph g(%x: f32[3], %y: f32[?]) -> (%w) {
    %f = Function() {
      body(%a: f32[3], %b: f32[?]) { %s = Add(%a, %b) yield %s }
    }
    %w = While(0, %x) [dtypes = {i32, f32}] {
      cond(%i: i32[], %a2: f32[3]) { %c = Less(%i, 10) yield %c }
      body(%i: i32[], %a2: f32[3]) {
        %j = Add(%i, 1)
        %z = Call(%f, %a2, %y) [dtypes = {f32}, shapes = {[3]}]
        yield %j, %z
      }
    }
  })"),
              {Array::Vector<float>({1, 2, 3}), Array::Vector<float>({1, 2})});
  size_t op = error.find("[Add]"), call = error.find("in the call"),
         loop = error.find("in iteration 0 of the loop");
  ASSERT_NE(op, error.npos) << error;
  ASSERT_NE(call, error.npos) << error;
  ASSERT_NE(loop, error.npos) << error;
  EXPECT_LT(op, call);
  EXPECT_LT(call, loop);
}

TEST(Bytecode, APredicateMustBeOneBoolean) {
  ExpectSameError(R"(graph g(%x: bool[?]) -> (%w) {
    %w = While(0) [dtypes = {i32}] {
      cond(%i: i32[]) { yield %x }
      body(%i: i32[]) { %j = Add(%i, 1) yield %j }
    }
  })",
                  {Array::Vector<bool>({true, false})});
  ExpectSameError(R"(graph g(%x: bool[?]) -> (%w) {
    %w = If(%x) [dtypes = {i32}] {
      then() { %a = Const [value = 1] yield %a }
      else() { %b = Const [value = 2] yield %b }
    }
  })",
                  {Array::Vector<bool>({true, false})});
}

TEST(Bytecode, RecursionWithoutEndIsAnError) {
  std::string error =
      ErrorOf(*MustParse(R"(graph g(%n: i32[], %x: f32[2]) -> (%y) {
    %f = Function() {
      body(%k: i32[], %v: f32[2]) {
        %j = Add(%k, 1)
        %r = Call(%f, %j, %v) [dtypes = {f32}]
        yield %r
      }
    }
    %y = Call(%f, %n, %x) [dtypes = {f32}]
  })"),
              {I32(0), Array::Vector<float>({1, 2})});
  EXPECT_NE(error.find("wanted a recursion that ends"), error.npos) << error;
  EXPECT_NE(error.find("xs[0] = \"j\" i32[], xs[1] = \"v\" f32[2]"), error.npos)
      << error.substr(0, 300);
}

// Types that are more specific than true, and regions that do not match:
// errors.
TEST(Bytecode, ValuesThatAreNotAsTheirTypesSayAreErrors) {
  std::string error = ErrorOf(*MustParse(R"(graph g(%x: f32[?]) -> (%y) {
    %f = Function() { body(%a: f32[]) { %s = Add(%a, 1.0) yield %s } }
    %y = Call(%f, %x) [dtypes = {f32}]
  })"),
                              {Array::Vector<float>({1, 2, 3})});
  EXPECT_NE(error.find("f32[3]; its type says f32[]"), error.npos) << error;
  error = ErrorOf(*MustParse(R"(graph g(%x: f32[3], %u: f32[?]) -> (%w:1) {
    %w = While(0, %x) [dtypes = {i32, f32}] {
      cond(%i: i32[], %a: f32[3]) { %c = Less(%i, 2) yield %c }
      body(%i: i32[], %a: f32[3]) {
        %j = Add(%i, 1)
        %s = Softmax(%a)
        %b = Concat(%s, %u) [axis = 0]
        yield %j, %b
      }
    }
  })"),
                  {Array::Vector<float>({1, 2, 3}), Array::Vector<float>({2})});
  EXPECT_NE(error.find("\"a\" is f32[4]; its type says f32[3]"), error.npos)
      << error;
}

// Text with mismatched regions is rejected by the parser; a graph may still be
// changed afterwards.
TEST(Bytecode, RegionsThatDoNotFitAreErrors) {
  const char* const kIf = R"(graph g(%p: bool[]) -> (%y) {
    %y = If(%p) [dtypes = {f32}] {
      then() { %a = Const [value = 1.0] yield %a }
      else() { %b = Const [value = 1.0] yield %b }
    }
    %i = Const [value = 1]
  })";
  const char* const kWhile = R"(graph g(%x: f32[]) -> (%y) {
    %y = While(%x) [dtypes = {f32}] {
      cond(%a: f32[]) { %c = Less(%a, 1.0) yield %c }
      body(%b: f32[]) { yield %b }
    }
  })";
  auto error = [](const Graph& graph) {
    auto code = Bytecode::Build(*graph.FindNode("y"), BytecodeOptions());
    return code.ok() ? std::string("no error") : code.status().message();
  };
  auto graph = MustParse(kIf);
  Region& otherwise = *graph->FindNode("y")->regions()[1];
  graph->SetResults(otherwise, {});
  EXPECT_NE(error(*graph).find("[If] the outputs for \"else\" are 1; wanted 0"),
            std::string::npos)
      << error(*graph);
  graph->SetResults(otherwise, {graph->FindNode("i")->output()});
  EXPECT_NE(error(*graph).find(
                "[If] number 0 of the outputs for \"else\" is f32; wanted i32"),
            std::string::npos)
      << error(*graph);
  graph = MustParse(kWhile);
  graph->SetResults(*graph->FindNode("y")->regions()[0], {});
  EXPECT_NE(
      error(*graph).find("[While] cond gives 0 values; wanted one boolean"),
      std::string::npos)
      << error(*graph);
}

TEST(Islands, WhatARegionReadsIsOnThePathThroughIt) {
  // The branch captures %a; an island of %a and %c would wait for itself.
  auto graph = MustParse(R"(graph g(%x: f32[4], %u: f32[?]) -> (%d) {
    %s = Sum(%u)
    %a = Add(%x, %s)
    %b = If(true) [dtypes = {f32}] : f32[4] {
      then() { %t = Exp(%a) yield %t }
      else() { yield %a }
    }
    %c = Add(%b, %a)
    %d = Mul(%c, %a)
  })");
  ExpectAllAgree(
      *graph, {Array::Vector<float>({1, 2, 3, 4}), Array::Vector<float>({5})});
}

}  // namespace
}  // namespace sluice
