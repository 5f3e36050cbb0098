// A graph may state types that are wrong: code that planned memory from them
// must not access memory outside it, whichever op computed the value.
#include <gtest/gtest.h>

#include "sluice/op/resource.h"
#include "sluice/step/executor_test_util.h"

namespace sluice {
namespace {

// The error of the graph under that executor; "" if it succeeds.
std::string ErrorBy(ExecutorChoice choice, const std::string& text,
                    const std::vector<Array>& args) {
  ResourceManager resources;
  auto got = RunOnPlan(*MustParse(text), args, choice, nullptr, &resources);
  return got.ok() ? "" : got.status().ToString();
}

struct Stated {
  const char* op;
  const char* text;
  std::vector<Array> args;
  const char* got;  // the actual type
};

class StatedTypes : public testing::TestWithParam<Stated> {};

// Tapes plan memory from the stated type and refuse arrays that do not fit;
// tokens use the actual arrays.
TEST_P(StatedTypes, LargerThanWhatArrivesAreErrorsOnTapes) {
  const Stated& p = GetParam();
  EXPECT_EQ(ErrorBy(ExecutorChoice::kTokens, p.text, p.args), "");
  for (auto choice : {ExecutorChoice::kAuto, ExecutorChoice::kTape}) {
    std::string error = ErrorBy(choice, p.text, p.args);
    EXPECT_NE(error.find(std::string("[") + p.op + "]"), error.npos) << error;
    EXPECT_NE(error.find(std::string("is ") + p.got + "; its type says "),
              error.npos)
        << error;
  }
}

Array Floats(std::initializer_list<float> values) {
  return Array::Vector<float>(values);
}

// clang-format off
INSTANTIATE_TEST_SUITE_P(Ops, StatedTypes, testing::Values(
    Stated{"MaskedSelect", R"(graph g(%x: f32[4], %m: bool[4]) -> (%z) {
      %y = MaskedSelect(%x, %m) : f32[4000]
      %n = Neg(%y)
      %z = Exp(%n)
    })", {Floats({1, 2, 3, 4}), Array::Vector<bool>({true, false, true, true})},
    "f32[3]"},
    Stated{"Unique", R"(graph g(%x: f32[3]) -> (%z) {
      %y = Unique(%x) : f32[1000], i64[3], i64[1000]
      %n = Neg(%y)
      %z = Exp(%n)
    })", {Floats({1, 2, 1})}, "f32[2]"},
    Stated{"Repeat", R"(graph g(%x: f32[2], %r: i64[]) -> (%z) {
      %y = Repeat(%x, %r) : f32[2000]
      %n = Neg(%y)
      %z = Exp(%n)
    })", {Floats({1, 2}), Array::Scalar<int64_t>(2)}, "f32[4]"},
    Stated{"Reshape", R"(graph g(%x: f32[2], %s: i64[1]) -> (%z) {
      %y = Reshape(%x, %s) : f32[2000]
      %n = Neg(%y)
      %z = Exp(%n)
    })", {Floats({1, 2}), Array::Vector<int64_t>({2})}, "f32[2]"},
    Stated{"ListStack", R"(graph g(%x: f32[2]) -> (%z) {
      %l = ListNew(1) [dtype = f32]
      %s = ListSet(%l, 0, %x)
      %y = ListStack(%s) [dtype = f32] : f32[1000,2]
      %n = Neg(%y)
      %z = Exp(%n)
    })", {Floats({1, 2})}, "f32[1,2]"},
    Stated{"ReadVariable", R"(graph g(%x: f32[2]) -> (%z) {
      %v = Variable() [dtype = f32]
      %a = Assign(%v, %x)
      %y = ReadVariable(%v) [dtype = f32] : f32[1000] after %a
      %n = Neg(%y)
      %z = Exp(%n)
    })", {Floats({1, 2})}, "f32[2]"},
    Stated{"Dequeue", R"(graph g(%x: f32[2]) -> (%z) {
      %q = FifoQueue() [dtypes = {f32}]
      %e = Enqueue(%q, %x)
      %y = Dequeue(%q) [dtypes = {f32}] : f32[1000] after %e
      %n = Neg(%y)
      %z = Exp(%n)
    })", {Floats({1, 2})}, "f32[2]"},
    Stated{"DecodeRaw", R"(graph g(%x: string[]) -> (%z) {
      %y = DecodeRaw(%x) [dtype = u8] : u8[1000]
      %n = Cast(%y) [dtype = f32]
      %z = Exp(%n)
    })", {Array::Scalar<std::string>("abc")}, "u8[3]"}),
    [](const auto& info) { return std::string(info.param.op); });
// clang-format on

// An op whose result is stated too large cannot be in an island, where its
// result would not be checked again.
TEST(StatedTypes, OfANodeThatDoNotFollowFromItsInputsKeepItOutOfIslands) {
  const char* const kText = R"(graph g(%x: f32[2], %s: i64[1]) -> (%z) {
      %a = Add(%x, %x)
      %y = BroadcastTo(%a, %s) : f32[3000]
      %z = Neg(%y)
    })";
  std::vector<Array> args = {Floats({1, 2}), Array::Vector<int64_t>({2})};
  EXPECT_EQ(ErrorBy(ExecutorChoice::kTokens, kText, args), "");
  std::string error = ErrorBy(ExecutorChoice::kTape, kText, args);
  EXPECT_NE(error.find("is f32[2]; its type says f32[3000]"), error.npos)
      << error;
}

// Fed arrays are compared with the types of the graph's arguments.
TEST(StatedTypes, OfArgumentsLargerThanWhatIsFed) {
  std::string error = ErrorBy(ExecutorChoice::kTape,
                              R"(graph g(%x: f32[1000]) -> (%z) {
      %n = Neg(%x)
      %z = Exp(%n)
    })",
                              {Floats({1, 2})});
  EXPECT_NE(error.find("\"x\" is f32[2]; its type says f32[1000]"), error.npos)
      << error;
}

// The shape function of Reshape says "a scalar" if the vector of sizes is
// empty, and refuses larger x only if it sees the vector: a tape wrote all of x
// into 4 bytes.
TEST(StatedTypes, ReshapeByAnEmptyShapeThatIsFed) {
  const char* const kText = R"(graph g(%x: f32[2000], %s: i64[0]) -> (%y, %z) {
      %a = Add(%x, %x)
      %y = Reshape(%a, %s)
      %z = Neg(%y)
    })";
  Array many = Array::Zeros(DType::kF32, {2000});
  Array none = Array::Zeros(DType::kI64, {0});
  for (auto choice : {ExecutorChoice::kAuto, ExecutorChoice::kTape,
                      ExecutorChoice::kTokens}) {
    std::string error = ErrorBy(choice, kText, {many, none});
    EXPECT_NE(error.find("[Reshape] x is f32[2000], shape is []; wanted the "
                         "same number of elements"),
              error.npos)
        << error;
  }
}

// A register filled by both sides of a branch: with a scalar computed in a
// cell, and with an array.
TEST(StatedTypes, ABoxedScalarIsNotWrittenIntoAnArrayOfAnotherShape) {
  auto graph = MustParse(R"(graph g(%x: f32[?]) -> (%w:1) {
    %w = While(0, %x) [dtypes = {i32, f32}] {
      cond(%i: i32[], %a: f32[...]) { %c = Less(%i, 3) yield %c }
      body(%i: i32[], %a: f32[...]) {
        %j = Add(%i, 1)
        %p = Less(%i, 1)
        %y = If(%p) [dtypes = {f32}] {
          then() { %s = Neg(%x) yield %s }
          else() { %f = Cast(%i) [dtype = f32] yield %f }
        }
        yield %j, %y
      }
    }
  })");
  std::vector<Array> got = ExpectAllAgree(*graph, {Floats({1, 2, 3})});
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(got[0].ToString(), Array::Scalar(2.0f).ToString());
}

}  // namespace
}  // namespace sluice
