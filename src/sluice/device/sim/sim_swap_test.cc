// Values that leave for the host while the device goes on, under a cap: time is
// that of the slower of the two, and in virtual time no more memory is in use
// than there is, however far the host runs ahead.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "sluice/device/sim/sim_device.h"
#include "sluice/device/stream_order.h"

namespace sluice {
namespace {

constexpr int64_t kBytes = 1000;

struct Swapped {
  double seconds_per_value = 0;
  int most_values = 0;  // in the device's memory, at any virtual time
  size_t violations = 0;
};

// Each value takes a second to compute and `copy_seconds` to copy; there is
// memory for `cap` of them.
Swapped SwapOut(int values, double copy_seconds, int cap) {
  SimWorld world;
  world.SetChecking(true);
  SimDevice& device =
      **world.AddDevice({.memory_bytes = cap * kBytes,
                         .kernel_seconds = 1,
                         .launch_seconds = 1e-9,
                         .link_bytes_per_second = kBytes / copy_seconds,
                         .link_latency_seconds = 0});
  SimStream& compute = device.stream();
  SimStream& to_host = device.stream(StreamUse::kToHost);
  std::vector<char> host(static_cast<size_t>(values * kBytes));
  world.StartTimeline();
  for (int i = 0; i < values; ++i) {
    Array value = *Array::Make(DType::kU8, {kBytes}, device.allocator());
    BeforeWrite(compute, value);
    compute.Run({.label = "compute", .writes = {RangeOf(value)}});
    AfterWrite(compute, value, /*mark=*/true);
    BeforeRead(to_host, value);
    to_host.Copy({nullptr, &host[static_cast<size_t>(i * kBytes)]},
                 {value.memory(), value.address()}, kBytes);
    AfterRead(to_host, value);
  }
  world.RunAll();
  Swapped run;
  run.seconds_per_value = world.device_seconds() / values;
  run.violations = world.TakeViolations().size();
  // A value lives from the start of its kernel to the end of its copy.
  std::map<double, int> changes;
  for (const TimelineItem& item : world.TakeTimeline()) {
    if (item.label == "compute") ++changes[item.start];
    if (item.label == "copy to host") --changes[item.end];
  }
  int live = 0;
  for (auto [time, change] : changes) {
    live += change;
    run.most_values = std::max(run.most_values, live);
  }
  return run;
}

TEST(SimSwap, CopiesHideBehindComputationAndMemoryHasAnEnd) {
  for (int values : {100, 1000}) {
    for (int cap : {2, 3, 8}) {
      for (double copy_seconds : {0.5, 3.0}) {
        Swapped run = SwapOut(values, copy_seconds, cap);
        EXPECT_NEAR(run.seconds_per_value, std::max(1.0, copy_seconds),
                    0.02 * copy_seconds + 0.01)
            << values << " " << cap;
        EXPECT_LE(run.most_values, cap) << copy_seconds;
        EXPECT_EQ(run.violations, 0u);
      }
    }
  }
  // With memory for one, each waits for the other.
  EXPECT_NEAR(SwapOut(100, 3.0, 1).seconds_per_value, 4, 0.01);
}

// A value leaves for the host, its memory is used again, and it comes back. The
// checker finds every step of that which is left out.
enum class Missing {
  kNothing,
  kValueIsThere,  // the way out does not wait for the kernel
  kWayOutIsOver,  // memory is handed out again while it is being copied
  kHostHasIt,     // the way back does not wait for the way out
  kItCameBack,    // the kernel does not wait for the way back
};

size_t Violations(Missing missing) {
  SimWorld world;
  world.SetChecking(true);
  SimDevice& device = **world.AddDevice();
  SimStream& compute = device.stream();
  SimStream& out = device.stream(StreamUse::kToHost);
  SimStream& in = device.stream(StreamUse::kFromHost);
  std::vector<char> host(kBytes);
  Array value = *Array::Make(DType::kU8, {kBytes}, device.allocator());
  Place on_host{nullptr, host.data()};
  auto place = [](const Array& a) { return Place{a.memory(), a.address()}; };
  BeforeWrite(compute, value);
  compute.Run({.label = "compute", .writes = {RangeOf(value)}});
  AfterWrite(compute, value, /*mark=*/true);
  if (missing != Missing::kValueIsThere) BeforeRead(out, value);
  out.Copy(on_host, place(value), kBytes);
  if (missing != Missing::kWayOutIsOver) AfterRead(out, value);
  EventRef left = out.Record();
  value = Array();
  // The same block, on the stream that computes.
  Array next = *Array::Make(DType::kU8, {kBytes}, device.allocator());
  BeforeWrite(compute, next);
  compute.Run({.label = "next", .writes = {RangeOf(next)}});
  AfterWrite(compute, next, /*mark=*/false);
  Array back = *Array::Make(DType::kU8, {kBytes},
                            device.allocator_for(StreamUse::kFromHost));
  if (missing != Missing::kHostHasIt) in.WaitFor(left);
  BeforeWrite(in, back);
  in.Copy(place(back), on_host, kBytes);
  if (missing != Missing::kItCameBack) AfterWrite(in, back, /*mark=*/true);
  BeforeRead(compute, back);
  compute.Run({.label = "gradient", .reads = {RangeOf(back)}});
  AfterRead(compute, back);
  world.RunAll();
  return world.TakeViolations().size();
}

TEST(SimSwap, EveryMissingWaitIsFound) {
  EXPECT_EQ(Violations(Missing::kNothing), 0u);
  for (Missing missing : {Missing::kValueIsThere, Missing::kWayOutIsOver,
                          Missing::kHostHasIt, Missing::kItCameBack}) {
    EXPECT_GE(Violations(missing), 1u) << static_cast<int>(missing);
  }
}

// The host allocates and frees ahead; the device never has more in use than
// there is, at any of its own times.
TEST(SimSwap, TheMeterSeesWhatTheDeviceHasInUse) {
  for (bool wait : {true, false}) {
    SimWorld world;
    SimDevice& device = **world.AddDevice(
        {.memory_bytes = wait ? 4 * 1024 : 64 * 1024, .kernel_seconds = 1});
    world.StartMeter();
    for (int i = 0; i < 16; ++i) {
      Array value = *Array::Make(DType::kU8, {1024}, device.allocator());
      SimStream& stream =
          device.stream(i % 2 ? StreamUse::kPeer : StreamUse::kCompute);
      BeforeWrite(stream, value);
      stream.Run({.label = "write", .writes = {RangeOf(value)}});
      AfterWrite(stream, value, /*mark=*/true);
      SimStream& reader = device.stream(StreamUse::kToHost);
      BeforeRead(reader, value);
      reader.Run({.label = "read", .reads = {RangeOf(value)}});
      AfterRead(reader, value);
    }
    world.RunAll();
    int64_t most = world.TakeMostBytes(device.memory());
    if (wait) {
      EXPECT_LE(most, 4 * 1024);
      EXPECT_GE(most, 2 * 1024);
    } else {
      EXPECT_GT(most, 4 * 1024);
    }
  }
}

}  // namespace
}  // namespace sluice
