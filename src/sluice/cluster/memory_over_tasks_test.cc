#include "sluice/cluster/memory_over_tasks.h"

#include <gtest/gtest.h>

#include "sluice/step/executor_test_util.h"

namespace sluice::cluster {
namespace {

constexpr const char* kFirst = "/job:worker/task:0/device:cpu:0";
constexpr const char* kSecond = "/job:worker/task:1/device:cpu:0";
constexpr int64_t kBytes = 4096;  // of f32[1024]

MemoryForecast ForecastOf(const std::string& text) {
  auto graph = MustParse(text);
  Result<MemoryForecast> forecast =
      MemoryOverTasks(*graph, "/job:worker/task:0");
  EXPECT_TRUE(forecast.ok()) << forecast.status().ToString();
  return forecast.ok() ? *forecast : MemoryForecast();
}

// A task's memory holds its own results and received tensors.
TEST(MemoryOverTasks, EachTaskHasWhatItMakesAndWhatItIsSent) {
  MemoryForecast forecast = ForecastOf(R"(graph g(%x: f32[1024]) -> (%s) {
    %a = Exp(%x) on "/job:worker/task:1"
    %b = Sin(%x) on "/job:worker/task:1"
    %c = Cos(%x) on "/job:worker/task:1"
    %p = Concat(%a, %b, %c) [axis = 0] on "/job:worker/task:1"
    %s = Sort(%p)
  })");
  ASSERT_EQ(forecast.devices.size(), 2u) << forecast.ToString();
  // Three results and their concatenation; their operands have been
  // overwritten.
  EXPECT_EQ(forecast.PeakBytes(kSecond, 1), 6 * kBytes) << forecast.ToString();
  // The feed, and the received tensor, which is sorted in place.
  EXPECT_EQ(forecast.PeakBytes(kFirst, 1), 4 * kBytes) << forecast.ToString();
  EXPECT_TRUE(forecast.unknown.empty());
}

// Lists collected by a loop stay on the task that computes them.
TEST(MemoryOverTasks, LoopsCountByTheirIterations) {
  MemoryForecast forecast =
      ForecastOf(R"(graph g(%n: i64[], %x: f32[1024]) -> (%s) {
    %zero = Const [value = 0 : i64[]]
    %none = ListNew(%zero) [dtype = f32, shape = [1024]]
        on "/job:worker/task:1"
    %i, %y, %l = While(%zero, %x, %none) [dtypes = {i64, f32, list}] {
      cond(%i: i64[], %y: f32[1024], %l: list[]) {
        %c = Less(%i, %n)
        yield %c
      }
      body(%i: i64[], %y: f32[1024], %l: list[]) {
        %j = Add(%i, 1)
        %z = Sin(%y) on "/job:worker/task:1"
        %m = ListAppend(%l, %z) on "/job:worker/task:1"
        yield %j, %z, %m
      }
    }
    %s = ListStack(%l) [dtype = f32, shape = [1024]] on "/job:worker/task:1"
  })");
  ASSERT_EQ(forecast.loops.size(), 1u) << forecast.ToString();
  ASSERT_EQ(forecast.devices.size(), 2u) << forecast.ToString();
  const int64_t more =
      forecast.PeakBytes(kSecond, 101) - forecast.PeakBytes(kSecond, 100);
  EXPECT_EQ(more, kBytes) << forecast.ToString();
}

TEST(MemoryOverTasks, WhatStateTasksKeepIsWhereItsUsersAre) {
  MemoryForecast forecast = ForecastOf(R"(graph g() -> (%s) {
    %w = Variable [dtype = f32, shape = [1024], shared_name = "w"]
        on "/job:worker/task:1"
    %r = ReadVariable(%w) [dtype = f32, shape = [1024]]
    %e = Exp(%r) on "/job:worker/task:1"
    %s = Sum(%e) [axes = {0}] on "/job:worker/task:1"
  })");
  EXPECT_GE(forecast.PeakBytes(kSecond, 1), kBytes) << forecast.ToString();
  EXPECT_LT(forecast.PeakBytes(kFirst, 1), kBytes) << forecast.ToString();
}

}  // namespace
}  // namespace sluice::cluster
