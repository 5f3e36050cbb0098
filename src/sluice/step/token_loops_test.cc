// Conditionals, loops and calls written for the token machine: structured
// graphs under every executor against the reference interpreter.
#include <gtest/gtest.h>

#include "sluice/base/strings.h"
#include "sluice/reference/reference_interpreter.h"
#include "sluice/step/executor_test_util.h"
#include "sluice/step/step.h"

namespace sluice {
namespace {

const char* const kCount = R"(graph g(%n: i64[]) -> (%r) {
    %zero = Const [value = 0 : i64[]]
    %r = While(%zero) [dtypes = {i64}] {
      cond(%i: i64[]) {
        %c = Less(%i, %n)
        yield %c
      }
      body(%i: i64[]) {
        %j = Add(%i, 1)
        yield %j
      }
    }
  })";

TEST(TokenLoops, CountsAnyNumberOfTimes) {
  auto graph = MustParse(kCount);
  for (int64_t n : {0, 1, 2, 7, 1000}) {
    auto got = ExpectAllAgree(*graph, {Array::Scalar<int64_t>(n)});
    ASSERT_EQ(got.size(), 1u);
    EXPECT_EQ(*got[0].data<int64_t>(), n);
  }
}

// The conditional is bytecode, but the enclosing loop is not because it sleeps:
// bytecode took the loop's constants out of slots that later iterations read.
TEST(TokenLoops, BytecodeLeavesConstantsOfTheLoopToLaterIterations) {
  auto graph = MustParse(R"(graph g(%n: i64[], %p: bool[], %x: f32[]) -> (%s) {
    %zero = Const [value = 0 : i64[]]
    %r, %s = While(%zero, %x) [dtypes = {i64, f32}] {
      cond(%i: i64[], %y: f32[]) {
        %c = Less(%i, %n)
        yield %c
      }
      body(%i: i64[], %y: f32[]) {
        %z = Sleep(%y)
        %b = If(%p) [dtypes = {f32}] {
          then() {
            %t = Add(%z, %x)
            yield %t
          }
          else() {
            yield %z
          }
        }
        %j = Add(%i, 1)
        yield %j, %b
      }
    }
  })");
  auto got = ExpectAllAgree(*graph, {Array::Scalar<int64_t>(5),
                                     Array::Scalar(true), Array::Scalar(2.0f)});
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(*got[0].data<float>(), 12.0f);
}

TEST(TokenLoops, BranchesGiveResultsOfTheOneTaken) {
  auto graph = MustParse(R"(graph g(%p: bool[], %x: f32[3]) -> (%y, %z, %w) {
    %a = Mul(%x, 2.0)
    %y, %z, %w = If(%p) [dtypes = {f32, f32, i32}] {
      then() {
        %t = Add(%a, %x)
        %one = Const [value = 1]
        yield %t, %x, %one
      }
      else() {
        %s = Neg(%a)
        %two = Const [value = 2]
        yield %a, %s, %two
      }
    }
  })");
  Array x = Array::Vector<float>({1, 2, 3});
  ExpectAllAgree(*graph, {Array::Scalar(true), x});
  ExpectAllAgree(*graph, {Array::Scalar(false), x});
}

TEST(TokenLoops, NestedLoopsAndBranchesWithCaptures) {
  auto graph =
      MustParse(R"(graph g(%n: i64[], %x: f32[4], %p: bool[]) -> (%r, %s) {
    %zero = Const [value = 0 : i64[]]
    %k = Mul(%x, 0.5)
    %i_end, %r = While(%zero, %x) [dtypes = {i64, f32}, parallel = 4] {
      cond(%i: i64[], %v: f32[4]) {
        %c = Less(%i, %n)
        yield %c
      }
      body(%i: i64[], %v: f32[4]) {
        %j = Add(%i, 1)
        %m, %u = While(%zero, %v) [dtypes = {i64, f32}] {
          cond(%a: i64[], %b: f32[4]) {
            %d = Less(%a, %i)
            yield %d
          }
          body(%a: i64[], %b: f32[4]) {
            %a2 = Add(%a, 1)
            %odd = Mod(%a, 2)
            %is = Equal(%odd, 1)
            %b2 = If(%is) [dtypes = {f32}] {
              then() {
                %f = Add(%b, %k)
                yield %f
              }
              else() {
                %g = If(%p) [dtypes = {f32}] {
                  then() { yield %x }
                  else() {
                    %h = Sub(%b, %v)
                    yield %h
                  }
                }
                yield %g
              }
            }
            yield %a2, %b2
          }
        }
        yield %j, %u
      }
    }
    %s = Add(%r, %k)
  })");
  Array x = Array::Vector<float>({1, 2, 3, 4});
  for (int64_t n : {0, 1, 2, 3, 9}) {
    ExpectAllAgree(*graph, {Array::Scalar(n), x, Array::Scalar(true)});
    ExpectAllAgree(*graph, {Array::Scalar(n), x, Array::Scalar(false)});
  }
}

TEST(TokenLoops, ALoopOnAnUntakenBranchRunsNothing) {
  auto graph = MustParse(R"(graph g(%p: bool[], %n: i64[]) -> (%r) {
    %zero = Const [value = 0 : i64[]]
    %r = If(%p) [dtypes = {i64}] {
      then() {
        %e = While(%zero) [dtypes = {i64}] {
          cond(%i: i64[]) {
            %c = Less(%i, %n)
            yield %c
          }
          body(%i: i64[]) {
            %never = Const [value = false]
            %check = Assert(%never) [message = "ran"]
            %j = Add(%i, 1)
            yield %j
          }
        }
        yield %e
      }
      else() { yield %n }
    }
  })");
  ExpectAllAgree(*graph, {Array::Scalar(false), Array::Scalar<int64_t>(5)});
}

TEST(TokenLoops, CaseMaximumAndCalls) {
  auto graph = MustParse(R"(graph g(%k: i32[], %x: f32[]) -> (%r, %n, %q) {
    %f = Function() {
      body(%a: f32[], %b: f32[]) {
        %m = Mul(%a, %x)
        %c = Add(%m, %b)
        yield %c
      }
    }
    %r = Case(%k) [dtypes = {f32}, has_default = true] {
      branch0() { yield %x }
      branch1() {
        %d = Call(%f, %x, 3.0) [dtypes = {f32}]
        yield %d
      }
      branch2() {
        %e = Neg(%x)
        yield %e
      }
    }
    %zero = Const [value = 0 : i64[]]
    %n, %q = While(%zero, %x) [dtypes = {i64, f32}, maximum = 5] {
      cond(%i: i64[], %v: f32[]) {
        %yes = Const [value = true]
        yield %yes
      }
      body(%i: i64[], %v: f32[]) {
        %j = Add(%i, 1)
        %w = Call(%f, %v, 1.0) [dtypes = {f32}]
        yield %j, %w
      }
    }
  })");
  for (int32_t k : {0, 1, 2, 7, -1}) {
    ExpectAllAgree(*graph, {Array::Scalar(k), Array::Scalar(1.5f)});
  }
}

// fib(a) = a < 2 ? a * k2 : fib(a - 1) + fib(a - 2); k2 = k + 1 is captured.
std::unique_ptr<Graph> Fibonacci() {
  auto graph = std::make_unique<Graph>("g");
  Graph& g = *graph;
  Region& root = g.root();
  ValueType i64{DType::kI64, Shape()};
  auto constant = [&](int64_t v) {
    Attrs attrs;
    attrs.set("value", Array::Scalar<int64_t>(v));
    return (*g.Add(root, "Const", {}, attrs))->output(0);
  };
  auto add = [&](Region& r, const char* op, std::vector<Value> in) {
    return (*g.Add(r, op, in, {}))->output(0);
  };
  Attrs one_i64;
  one_i64.set("dtypes", std::vector<DType>{DType::kI64});
  Value n = *g.AddArg(root, "n", i64), k = *g.AddArg(root, "k", i64);
  Value one = constant(1), two = constant(2);
  Value k2 = add(root, "Add", {k, one});
  Node* fib = *g.Add(root, "Function", {}, {});
  Region* body = *g.AddRegion(*fib, "body");
  Value a = *g.AddArg(*body, "a", i64);
  Value small = add(*body, "Less", {a, two});
  Node* choose = *g.Add(*body, "If", std::vector<Value>{small}, one_i64);
  Region* then = *g.AddRegion(*choose, "then");
  g.SetResults(*then, {add(*then, "Mul", {a, k2})});
  Region* other = *g.AddRegion(*choose, "else");
  Value b = add(*other, "Sub", {a, one}), c = add(*other, "Sub", {a, two});
  auto call = [&](Region& r, Value x) {
    return (*g.Add(r, "Call", std::vector<Value>{fib->output(0), x}, one_i64))
        ->output(0);
  };
  Value p = call(*other, b), q = call(*other, c);
  g.SetResults(*other, {add(*other, "Add", {p, q})});
  g.SetResults(*body, {choose->output(0)});
  g.SetResults(root, {call(root, n)});
  return graph;
}

TEST(TokenLoops, RecursiveCallsRunInFramesOfTheirOwn) {
  auto got = ExpectAllAgree(
      *Fibonacci(), {Array::Scalar<int64_t>(12), Array::Scalar<int64_t>(0)});
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(*got[0].data<int64_t>(), 144);
}

TEST(TokenLoops, AsynchronousOpsInLoopsKeepTheirToken) {
  auto graph = MustParse(R"(graph g(%n: i64[], %x: f32[2]) -> (%r) {
    %zero = Const [value = 0 : i64[]]
    %i_end, %r = While(%zero, %x) [dtypes = {i64, f32}] {
      cond(%i: i64[], %v: f32[2]) {
        %c = Less(%i, %n)
        yield %c
      }
      body(%i: i64[], %v: f32[2]) {
        %j = Add(%i, 1)
        %s = Sleep(%v) [micros = 100]
        %w = Add(%s, %x)
        %u = Mul(%w, 0.5)
        yield %j, %u
      }
    }
  })");
  ExpectAllAgree(*graph,
                 {Array::Scalar<int64_t>(9), Array::Vector<float>({1, 2})});
}

// Products are long enough to be exported to other threads, so iterations of
// both loops really overlap and start and end on different threads.
TEST(TokenLoops, IterationsOnManyThreadsGiveTheSameBits) {
  auto graph =
      MustParse(R"(graph g(%n: i64[], %m: f32[64,64]) -> (%r, %s, %i_end) {
    %zero = Const [value = 0 : i64[]]
    %k = Mul(%m, 0.03)
    %i_end, %r, %s = While(%zero, %m, %m) [dtypes = {i64, f32, f32}, parallel = 10] {
      cond(%i: i64[], %v: f32[64,64], %u: f32[64,64]) {
        %c = Less(%i, %n)
        yield %c
      }
      body(%i: i64[], %v: f32[64,64], %u: f32[64,64]) {
        %j = Add(%i, 1)
        %f = Cast(%i) [dtype = f32]
        %scaled = Mul(%k, %f)
        %a = MatMul(%scaled, %k)
        %b = MatMul(%k, %scaled)
        %odd = Mod(%i, 2)
        %is = Equal(%odd, 1)
        %e = If(%is) [dtypes = {f32}] {
          then() {
            %a_end, %w = While(%zero, %a) [dtypes = {i64, f32}, parallel = 10] {
              cond(%p: i64[], %q: f32[64,64]) {
                %d = Less(%p, 3)
                yield %d
              }
              body(%p: i64[], %q: f32[64,64]) {
                %p2 = Add(%p, 1)
                %q2 = MatMul(%q, %k)
                %q3 = MatMul(%b, %k)
                %q4 = Add(%q2, %q3)
                yield %p2, %q4
              }
            }
            yield %w
          }
          else() {
            %h = MatMul(%b, %a)
            yield %h
          }
        }
        %x = Add(%v, %e)
        %y = Sub(%u, %a)
        yield %j, %x, %y
      }
    }
  })");
  Array m = *Array::Make(DType::kF32, Shape{64, 64});
  for (int64_t i = 0; i < 64 * 64; ++i) {
    m.mutable_data<float>()[i] = static_cast<float>(i % 37) * 0.1f - 1.5f;
  }
  std::vector<Array> args{Array::Scalar<int64_t>(12), m};
  Result<std::vector<Array>> want = Interpret(*graph, args, {});
  ASSERT_TRUE(want.ok()) << want.status().message();
  for (int threads : {2, 4}) {
    WorkerPool pool(threads);
    for (int parallel : {1, 4, 32}) {
      for (Node* node : graph->root().nodes()) {
        if (node->op().flow == Flow::kLoop) {
          graph->SetAttr(*node, "parallel", parallel);
        }
      }
      for (int round = 0; round < 4; ++round) {
        auto got = RunOnPlan(*graph, args, ExecutorChoice::kTokens, &pool);
        ASSERT_TRUE(got.ok()) << got.status().message();
        for (size_t i = 0; i < want->size(); ++i) {
          ASSERT_TRUE((*got)[i].BitEquals((*want)[i]))
              << threads << " threads, parallel " << parallel;
        }
      }
    }
  }
}

}  // namespace
}  // namespace sluice
