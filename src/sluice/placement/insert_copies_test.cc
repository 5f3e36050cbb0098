#include "sluice/placement/insert_copies.h"

#include <gtest/gtest.h>

#include "sluice/passes/pass_test_util.h"

namespace sluice {
namespace {

Result<bool> Insert(Graph& graph) { return InsertCopies(graph); }
Result<bool> InsertAndStay(Graph& graph) {
  CopyOptions options;
  options.args = {"/device:sim:0"};
  options.results_to_host = false;
  return InsertCopies(graph, options);
}

TEST(InsertCopies, NothingForOneDevice) {
  ExpectUnchanged(Insert, R"(
graph g(%x: f32[2]) -> (%y) {
  %y = Neg(%x) on "/device:cpu:0"
})");
}

TEST(InsertCopies, OneForEachValueAndDestination) {
  ExpectRewrite(Insert, R"(
graph g(%x: f32[2]) -> (%c) {
  %a = Neg(%x) on "/device:sim:0"
  %b = Mul(%x, %a) on "/device:sim:0"
  %c = Add(%b, %x) on "/device:sim:1"
})",
                R"(
graph g(%x: f32[2]) -> (%c_copy) {
  %arg_copy = Identity(%x) on "/device:sim:0"
  %a = Neg(%arg_copy) on "/device:sim:0"
  %b = Mul(%arg_copy, %a) on "/device:sim:0"
  %b_copy = Identity(%b) on "/device:sim:1"
  %arg_copy_1 = Identity(%x) on "/device:sim:1"
  %c = Add(%b_copy, %arg_copy_1) on "/device:sim:1"
  %c_copy = Identity(%c) on "/device:cpu:0"
})");
}

TEST(InsertCopies, WhatIsFedElsewhereStaysThere) {
  ExpectUnchanged(InsertAndStay, R"(
graph g(%x: f32[2]) -> (%y) {
  %y = Neg(%x) on "/device:sim:0"
})");
}

TEST(InsertCopies, SizesAreReadByTheHost) {
  ExpectRewrite(Insert, R"(
graph g(%x: f32[2,3], %s: i64[1]) -> (%n) {
  %y = Reshape(%x, %s) on "/device:sim:0"
  %n = Shape(%y) on "/device:sim:0"
})",
                R"(
graph g(%x: f32[2,3], %s: i64[1]) -> (%n) {
  %arg_copy = Identity(%x) on "/device:sim:0"
  %y = Reshape(%arg_copy, %s) on "/device:sim:0"
  %n = Shape(%y) on "/device:sim:0"
})");
}

TEST(InsertCopies, ConstantsArePutWhereTheyAreWanted) {
  ExpectRewrite(Insert, R"(
graph g(%x: f32[]) -> (%y) {
  %two = Const [value = 2.0] on "/device:cpu:0"
  %a = Mul(%x, %two) on "/device:cpu:0"
  %b = Mul(%a, %two) on "/device:sim:0"
  %y = Identity(%b) on "/device:cpu:0"
})",
                R"(
graph g(%x: f32[]) -> (%y) {
  %two_1 = Const [value = 2.0] on "/device:sim:0"
  %two = Const [value = 2.0] on "/device:cpu:0"
  %a = Mul(%x, %two) on "/device:cpu:0"
  %a_copy = Identity(%a) on "/device:sim:0"
  %b = Mul(%a_copy, %two_1) on "/device:sim:0"
  %y = Identity(%b) on "/device:cpu:0"
})");
}

// The weight goes once, before the loop; the carried value stays where the
// body makes it; the counter stays on the host, so that the predicate does.
TEST(InsertCopies, LoopsReadFromOutsideOnce) {
  ExpectRewrite(Insert, R"(
graph g(%x: f32[2], %w: f32[2]) -> (%y) {
  %zero = Const [value = 0] on "/device:cpu:0"
  %n, %y = While(%zero, %x) [dtypes = {i32, f32}] on "/device:cpu:0" {
    cond(%i: i32[], %v: f32[2]) {
      %ten = Const [value = 10] on "/device:cpu:0"
      %p = Less(%i, %ten) on "/device:cpu:0"
      yield %p
    }
    body(%i: i32[], %v: f32[2]) {
      %one = Const [value = 1] on "/device:cpu:0"
      %j = Add(%i, %one) on "/device:cpu:0"
      %u = Mul(%v, %w) on "/device:sim:0"
      yield %j, %u
    }
  }
})",
                R"(
graph g(%x: f32[2], %w: f32[2]) -> (%n_copy) {
  %zero = Const [value = 0] on "/device:cpu:0"
  %arg_copy = Identity(%x) on "/device:sim:0"
  %arg_copy_1 = Identity(%w) on "/device:sim:0"
  %n, %y = While(%zero, %arg_copy) [dtypes = {i32, f32}] on "/device:cpu:0" {
    cond(%i: i32[], %v: f32[2]) {
      %ten = Const [value = 10] on "/device:cpu:0"
      %p = Less(%i, %ten) on "/device:cpu:0"
      yield %p
    }
    body(%i: i32[], %v: f32[2]) {
      %one = Const [value = 1] on "/device:cpu:0"
      %j = Add(%i, %one) on "/device:cpu:0"
      %u = Mul(%v, %arg_copy_1) on "/device:sim:0"
      yield %j, %u
    }
  }
  %n_copy = Identity(%y) on "/device:cpu:0"
})");
}

TEST(InsertCopies, ABranchCopiesOnlyWhenItIsTaken) {
  ExpectRewrite(Insert, R"(
graph g(%p: bool[], %x: f32[2]) -> (%y) {
  %y = If(%p) [dtypes = {f32}] on "/device:cpu:0" {
    then() {
      %a = Neg(%x) on "/device:sim:0"
      yield %a
    }
    else() {
      yield %x
    }
  }
})",
                R"(
graph g(%p: bool[], %x: f32[2]) -> (%y_copy) {
  %y = If(%p) [dtypes = {f32}] on "/device:cpu:0" {
    then() {
      %arg_copy = Identity(%x) on "/device:sim:0"
      %a = Neg(%arg_copy) on "/device:sim:0"
      yield %a
    }
    else() {
      %arg_copy_1 = Identity(%x) on "/device:sim:0"
      yield %arg_copy_1
    }
  }
  %y_copy = Identity(%y) on "/device:cpu:0"
})");
}

// The result of a comparison on a device comes to the host in every iteration.
TEST(InsertCopies, PredicatesComeToTheHost) {
  std::unique_ptr<Graph> graph = ParseOrDie(R"(
graph g(%x: f32[]) -> (%y) {
  %y = While(%x) [dtypes = {f32}] on "/device:cpu:0" {
    cond(%v: f32[]) {
      %one = Const [value = 1.0] on "/device:sim:0"
      %p = Greater(%v, %one) on "/device:sim:0"
      yield %p
    }
    body(%v: f32[]) {
      %two = Const [value = 2.0] on "/device:sim:0"
      %u = Div(%v, %two) on "/device:sim:0"
      yield %u
    }
  }
})");
  ASSERT_TRUE(InsertCopies(*graph).ok());
  const Node& loop = *graph->FindNode("y");
  const Value& pred = loop.regions()[0]->results()[0];
  EXPECT_EQ(pred.node->op().name, "Identity");
  EXPECT_EQ(pred.node->device(), "/device:cpu:0");
}

}  // namespace
}  // namespace sluice
