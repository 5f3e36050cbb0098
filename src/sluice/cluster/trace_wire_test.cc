#include "sluice/cluster/trace_wire.h"

#include <gtest/gtest.h>

#include "sluice/cluster/message.h"

namespace sluice::cluster {
namespace {

TEST(TraceWire, WhatIsWrittenIsReadBack) {
  TaskTrace trace;
  trace.task = "/job:worker/task:1";
  trace.host = "/device:cpu:0";
  trace.began_ns = 12345;
  trace.rows.push_back(
      {"a", "Add", "model.cc:3", 1, 100, 20, 64, "/device:cpu:0", 0});
  trace.rows.push_back({"b", "Mul", "", 0, 130, 5, 0, "/device:sim:0", -1});
  TimelineItem item;
  item.device = "/device:sim:0";
  item.stream = "compute";
  item.label = "Mul b";
  item.start = 1.5e-6;
  item.end = 2e-6;
  item.iteration = 7;
  item.order = 3;
  trace.device_work.push_back(item);

  Result<WireTrace> read = Decode<WireTrace>(Encode(ToWire(trace)));
  ASSERT_TRUE(read.ok());
  TaskTrace back = FromWire(*read);
  EXPECT_EQ(ChromeTrace({&back, 1}), ChromeTrace({&trace, 1}));
  ASSERT_EQ(back.rows.size(), 2u);
  EXPECT_EQ(back.rows[0].iteration, 0);
  EXPECT_EQ(back.rows[1].iteration, -1);
  EXPECT_EQ(back.device_work[0].iteration, 7);
}

TEST(TraceWire, ClocksThatDifferAreAligned) {
  // Its clock is a second ahead; each direction takes 40, the work 100.
  WireTrace trace;
  trace.received = 1'000'000'540;
  trace.began = 1'000'000'550;
  trace.sent = 1'000'000'640;
  AlignClock(500, 680, &trace);
  EXPECT_EQ(trace.began, 550);
}

TEST(TraceWire, ClocksOfAnyoneDoNotOverflow) {
  WireTrace trace;
  trace.received = INT64_MAX;
  trace.began = INT64_MIN;
  trace.sent = INT64_MAX;
  AlignClock(500, 680, &trace);
  EXPECT_EQ(trace.began, 500);
}

}  // namespace
}  // namespace sluice::cluster
