// The values a node captures, through regions and calls.
#include <gtest/gtest.h>

#include <algorithm>

#include "sluice/base/strings.h"
#include "sluice/graph/text_parser.h"
#include "sluice/graph/traverse.h"

namespace sluice {
namespace {

// The values, without repeats, sorted by name.
std::string CapturesOf(const Graph& graph, std::string_view node) {
  std::vector<std::string> names;
  for (const Value& v : InputsWithCaptures(*graph.FindNode(node))) {
    names.push_back(v.ToString());
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return Join(names, " ");
}

std::unique_ptr<Graph> Parse(std::string_view text) {
  Result<std::unique_ptr<Graph>> graph = ParseGraph(text);
  EXPECT_TRUE(graph.ok()) << graph.status().message();
  return std::move(*graph);
}

TEST(Captures, WhatACalledFunctionReadsAroundItself) {
  auto graph = Parse(R"(graph g(%p: bool[], %x: f32[], %z: f32[]) {
    %f = Function { body(%k: f32[]) { %r = Add(%k, %z) yield %r } }
    %c = Call(%f, %x) [dtypes = {f32}]
    %y = If(%p) [dtypes = {f32}] {
      then() { %d = Call(%f, %x) [dtypes = {f32}] yield %d }
      else() { yield %x }
    }
  })");
  EXPECT_EQ(CapturesOf(*graph, "f"), "z");
  EXPECT_EQ(CapturesOf(*graph, "c"), "f x z");
  EXPECT_EQ(CapturesOf(*graph, "y"), "f p x z");
}

// A nested call has its own arguments.
TEST(Captures, ARecursiveCallDoesNotReadItsCallersValues) {
  auto graph = Parse(R"(graph g(%x: f32[], %z: f32[]) {
    %f = Function {
      body(%k: f32[]) {
        %p = Less(%k, %z)
        %y = If(%p) [dtypes = {f32}] {
          then() { %d = Call(%f, %k) [dtypes = {f32}] yield %d }
          else() { yield %z }
        }
        yield %y
      }
    }
  })");
  EXPECT_EQ(CapturesOf(*graph, "d"), "f k z");
  EXPECT_EQ(CapturesOf(*graph, "y"), "k p z");
}

// Found by random graphs: a value that a function reads inside a branch was
// treated as a capture of the conditional.
TEST(Captures, AFunctionInsideABranchReadsTheBranch) {
  auto graph = Parse(R"(graph g(%p: bool[], %x: f32[]) {
    %y = If(%p) [dtypes = {f32}] {
      then() {
        %a = Neg(%x)
        %f = Function { body(%k: f32[]) { %r = Add(%k, %a) yield %r } }
        %d = Call(%f, %x) [dtypes = {f32}]
        yield %d
      }
      else() { yield %x }
    }
  })");
  EXPECT_EQ(CapturesOf(*graph, "y"), "p x");
  EXPECT_EQ(CapturesOf(*graph, "d"), "a f x");
}

TEST(Captures, AFunctionOfAFunctionBelongsToItsRun) {
  auto graph = Parse(R"(graph g(%x: f32[], %z: f32[]) {
    %f = Function {
      body(%k: f32[]) {
        %g = Function { body(%j: f32[]) { %s = Mul(%j, %k) yield %s } }
        %p = Less(%k, %z)
        %y = If(%p) [dtypes = {f32}] {
          then() { %d = Call(%f, %z) [dtypes = {f32}] yield %d }
          else() { yield %z }
        }
        %e = Call(%g, %y) [dtypes = {f32}]
        yield %e
      }
    }
  })");
  EXPECT_EQ(CapturesOf(*graph, "e"), "g k y");
  EXPECT_EQ(CapturesOf(*graph, "y"), "p z");
}

}  // namespace
}  // namespace sluice
