// Tests forecasts as text, compared with the actual peak of a run on a
// simulated device.
#include "sluice/plan/memory_forecast.h"

#include <gtest/gtest.h>

#include "sluice/autodiff/gradients.h"
#include "sluice/base/strings.h"
#include "sluice/graph/loop_counts.h"
#include "sluice/graph/text_parser.h"

namespace sluice {
namespace {

std::unique_ptr<Graph> Parsed(std::string_view text) {
  Result<std::unique_ptr<Graph>> graph = ParseGraph(text);
  EXPECT_TRUE(graph.ok()) << graph.status().message();
  return graph.ok() ? *std::move(graph) : nullptr;
}

MemoryForecast Of(std::string_view text) {
  Result<MemoryForecast> forecast = ForecastMemory(*Parsed(text));
  EXPECT_TRUE(forecast.ok()) << forecast.status().message();
  return forecast.ok() ? *forecast : MemoryForecast();
}

TEST(ByteCount, IsAFormulaOfIterations) {
  const std::vector<std::string> names = {"T", "U"};
  ByteCount kept = ByteCount(1024).ForEarlierIterationsOf(0);
  kept += ByteCount(1024 + 4096);
  EXPECT_EQ(kept.ToString(names), "4.0 KiB + 1.0 KiB*T");
  const int64_t trips[] = {10, 3};
  EXPECT_EQ(kept.At(trips), 4096 + 10 * 1024);
  ByteCount both = kept.ForEarlierIterationsOf(1);
  EXPECT_EQ(both.ToString(names),
            "-4.0 KiB - 1.0 KiB*T + 1.0 KiB*T*U + 4.0 KiB*U");
  EXPECT_EQ(both.At(trips), 2 * kept.At(trips));
  EXPECT_TRUE(kept.Covers(ByteCount(5000)));
  EXPECT_FALSE(kept.Covers(both));
  EXPECT_FALSE(both.Covers(kept));
  kept -= kept;
  EXPECT_TRUE(kept.zero());
  const int64_t many[] = {int64_t{1} << 40, int64_t{1} << 40};
  EXPECT_EQ(
      ByteCount(1 << 20).ForEarlierIterationsOf(0).ForEarlierIterationsOf(1).At(
          many),
      INT64_MAX);
}

// 4 KiB each: x is fed; a ends when b is computed, and b reuses its memory; d
// reuses that of c.
TEST(MemoryForecast, CountsWhatIsLiveInProgramOrder) {
  MemoryForecast f = Of(R"(graph g(%x: f32[1024]) -> (%d) {
    %a = Exp(%x)
    %b = Neg(%a)
    %c = Outer(%b, %x)
    %e = Sum(%c) [axes = {0}]
    %d = Add(%e, %b)
  })");
  ASSERT_EQ(f.devices.size(), 1u);
  EXPECT_EQ(f.devices[0].device, "/device:cpu:0");
  // When the sum is made: x, b, the outer product and the sum.
  EXPECT_EQ(f.PeakBytes("/device:cpu:0", 1), (4 << 20) + 3 * 4096);
  EXPECT_EQ(f.PeakBytes("/device:sim:0", 1), 0);
  EXPECT_TRUE(f.unknown.empty());
  EXPECT_NE(f.ToString().find("when Sum"), std::string::npos) << f.ToString();
}

TEST(MemoryForecast, SizesThatNobodyKnowsAreTold) {
  MemoryForecast f = Of(R"(graph g(%x: f32[?,4], %y: f32[256]) -> (%a, %b) {
    %a = Exp(%x)
    %b = Exp(%y)
  })");
  EXPECT_EQ(f.PeakBytes("/device:cpu:0", 1), 2 * 1024);
  ASSERT_EQ(f.unknown.size(), 2u);
  EXPECT_EQ(f.unknown[1].type, "f32[?,4]");
  EXPECT_EQ(f.unknown[1].site.op, "Exp");
}

TEST(MemoryForecast, BranchesCountAsTheLargerOne) {
  auto text = [](int then, int otherwise) {
    return StrCat(R"(graph g(%p: bool[], %x: f32[256]) -> (%y) {
      %y = If(%p) [dtypes = {f32}] : f32[] {
        then() {
          %d = Const [value = [)",
                  then, R"(] : i64[1]]
          %u = Fill(%d, 1.0)
          %s = Sum(%u)
          yield %s
        }
        else() {
          %e = Const [value = [)",
                  otherwise, R"(] : i64[1]]
          %v = Fill(%e, 1.0)
          %t = Sum(%v)
          yield %t
        }
      }
    })");
  };
  int64_t one = Of(text(1000, 10)).PeakBytes("/device:cpu:0", 1);
  int64_t other = Of(text(10, 1000)).PeakBytes("/device:cpu:0", 1);
  int64_t both = Of(text(1000, 1000)).PeakBytes("/device:cpu:0", 1);
  EXPECT_EQ(one, other);
  EXPECT_EQ(one, both);
  EXPECT_GE(one, 4000);
  EXPECT_LT(one, 6000);
}

constexpr char kLoop[] = R"(graph g(%n: i64[], %x: f32[1024]) -> (%y) {
  %zero = Const [value = 0 : i64[]]
  %i, %y = While(%zero, %x) [dtypes = {i64, f32}] : i64[], f32[1024] {
    cond(%i: i64[], %a: f32[1024]) {
      %c = Less(%i, %n)
      yield %c
    }
    body(%i: i64[], %a: f32[1024]) {
      %j = Add(%i, 1)
      %t = Tanh(%a)
      %s = Mul(%t, %a)
      yield %j, %s
    }
  }
})";

TEST(MemoryForecast, ALoopThatKeepsNothingDoesNotGrow) {
  MemoryForecast f = Of(kLoop);
  EXPECT_EQ(f.PeakBytes("/device:cpu:0", 10),
            f.PeakBytes("/device:cpu:0", 1000));
}

// Its gradient reads two values of each iteration, and runs as often.
TEST(MemoryForecast, WhatALoopKeepsForItsGradientGrowsWithItsTrips) {
  std::unique_ptr<Graph> graph = Parsed(kLoop);
  {
    MutexLock lock(graph->mu());
    Value y = graph->root().results()[0], x = graph->root().arg(1);
    auto found = Gradients(*graph, {&y, 1}, {&x, 1});
    ASSERT_TRUE(found.ok()) << found.status().message();
    graph->SetResults(graph->root(), {(*found)[0]});
  }
  Result<MemoryForecast> f = ForecastMemory(*graph);
  ASSERT_TRUE(f.ok()) << f.status().message();
  ASSERT_EQ(f->loops.size(), 1u) << f->ToString();
  EXPECT_EQ(f->loops[0].count, "T");
  int64_t a = f->PeakBytes("/device:cpu:0", 100);
  int64_t b = f->PeakBytes("/device:cpu:0", 200);
  EXPECT_EQ(b - a, 100 * 2 * 4096) << f->ToString();
  EXPECT_NE(f->Formula("/device:cpu:0").find("8.0 KiB*T"), std::string::npos)
      << f->Formula("/device:cpu:0");
}

TEST(LoopCounts, AreReadOffTheGraph) {
  auto count = [](std::string_view cond, std::string_view next,
                  std::string_view start) {
    std::unique_ptr<Graph> graph = Parsed(StrCat(
        "graph g(%n: i64[]) -> (%i) {\n  %start = Const [value = ", start,
        " : i64[]]\n  %i = While(%start) [dtypes = {i64}] : "
        "i64[] {\n    cond(%v: i64[]) { %c = ",
        cond, " yield %c }\n    body(%v: i64[]) { %w = ", next,
        " yield %w }\n  }\n}"));
    for (const Node* node : graph->root().nodes()) {
      if (node->regions().size() == 2) return CountOf(*node).number;
    }
    return std::optional<int64_t>();
  };
  EXPECT_EQ(count("Less(%v, 10)", "Add(%v, 1)", "0"), 10);
  EXPECT_EQ(count("Less(%v, 10)", "Add(%v, 3)", "0"), 4);
  EXPECT_EQ(count("Less(%v, 10)", "Add(3, %v)", "1"), 3);
  EXPECT_EQ(count("Greater(%v, 0)", "Sub(%v, 1)", "7"), 7);
  EXPECT_EQ(count("Less(%v, 10)", "Add(%v, 1)", "20"), 0);
  EXPECT_EQ(count("Less(%v, %n)", "Add(%v, 1)", "0"), std::nullopt);
  EXPECT_EQ(count("Less(%v, 10)", "Mul(%v, 2)", "1"), std::nullopt);
  EXPECT_EQ(count("Less(%v, 10)", "Sub(%v, 1)", "0"), std::nullopt);
}

}  // namespace
}  // namespace sluice
