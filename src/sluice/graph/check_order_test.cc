#include "sluice/graph/check_order.h"

#include <gtest/gtest.h>

#include "sluice/base/strings.h"
#include "sluice/graph/text_parser.h"

namespace sluice {
namespace {

// "a < b" for each edge of the root, in order.
std::string EdgesOf(std::string_view text) {
  Result<std::unique_ptr<Graph>> graph = ParseGraph(text);
  EXPECT_TRUE(graph.ok()) << graph.status().message();
  if (!graph.ok()) return "";
  std::string edges;
  for (const EffectEdge& e : EffectEdges((*graph)->root())) {
    StrAppend(edges, edges.empty() ? "" : ", ", e.before->name(), " < ",
              e.after->name());
  }
  return edges;
}

TEST(CheckOrder, ChecksStandBetweenChangesOfAnyState) {
  EXPECT_EQ(EdgesOf(R"(graph g(%x: f32[], %ok: bool[]) -> () {
    %v = Variable [dtype = f32, shape = []]
    %w = Variable [dtype = f32, shape = []]
    %a = Assign(%v, %x)
    %b = Assign(%w, %x)
    %check = Assert(%ok)
    %c = Assign(%v, %x)
    %d = Assign(%w, %x)
  })"),
            "a < check, b < check, a < c, check < c, b < d, check < d");
}

TEST(CheckOrder, ChecksAloneMayOverlapAndSoMayReads) {
  EXPECT_EQ(EdgesOf(R"(graph g(%ok: bool[]) -> () {
    %v = Variable [dtype = f32, shape = []]
    %a = Assert(%ok)
    %r = ReadVariable(%v) [dtype = f32, shape = []]
    %b = Assert(%ok)
  })"),
            "");
}

TEST(CheckOrder, WhatWaitsForOthersIsNotHeldUp) {
  EXPECT_EQ(EdgesOf(R"(graph g(%x: f32[], %ok: bool[]) -> () {
    %q = FifoQueue [dtypes = {f32}, shapes = {[]}, capacity = 2]
    %a = Assert(%ok)
    %e = Enqueue(%q, %x)
  })"),
            "");
}

TEST(CheckOrder, LoopsAndBranchesDoWhatIsInside) {
  EXPECT_EQ(EdgesOf(R"(graph g(%n: i32[], %ok: bool[], %x: f32[]) -> () {
    %v = Variable [dtype = f32, shape = []]
    %i = While(%n) [dtypes = {i32}] {
      cond(%i: i32[]) { %p = Less(%i, %n) yield %p }
      body(%i: i32[]) {
        %one = Const [value = 1]
        %j = Add(%i, %one)
        %check = Assert(%ok)
        yield %j
      }
    }
    %a = Assign(%v, %x)
  })"),
            "i < a");
}

}  // namespace
}  // namespace sluice
