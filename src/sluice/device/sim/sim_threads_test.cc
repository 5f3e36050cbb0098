// Several threads of the host at once: each gives work to streams of its own,
// all of them drive the world, and memory goes back and forth between them.

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "sluice/device/sim/sim_device.h"
#include "sluice/device/stream_order.h"

namespace sluice {
namespace {

constexpr int kThreads = 4;
constexpr int kSteps = 200;
constexpr int64_t kLength = 100;

SimWork Write(const Array& out, int64_t value) {
  return {.label = "write",
          .writes = {RangeOf(out)},
          .run = [out = out.Borrowed(), value] {
            int64_t* x = out.mutable_data<int64_t>();
            std::fill(x, x + kLength, value);
          }};
}

// Sums the array into a cell of the host.
SimWork Sum(const Array& in, int64_t* cell) {
  return {.label = "sum",
          .reads = {RangeOf(in)},
          .run = [in = in.Borrowed(), cell] {
            const int64_t* x = in.data<int64_t>();
            for (int64_t i = 0; i < kLength; ++i) *cell += x[i];
          }};
}

TEST(SimThreads, ManyIssueAllocateAndDrive) {
  SimWorld world;
  world.SetChecking(true);
  SimDevice& device = **world.AddDevice();
  Array shared = *Array::Make(DType::kI64, {kLength}, device.allocator());
  BeforeWrite(device.stream(), shared);
  device.stream().Run(Write(shared, 1));
  AfterWrite(device.stream(), shared, true);
  std::atomic<int> called{0};
  std::vector<int64_t> sums(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      // A stream each: one thread at a time issues on a stream.
      SimStream& stream = device.stream(static_cast<StreamUse>(t));
      int64_t* sum = &sums[static_cast<size_t>(t)];
      for (int step = 0; step < kSteps; ++step) {
        Array own = *Array::Make(DType::kI64, {kLength},
                                 device.allocator().For(stream));
        BeforeWrite(stream, own);
        stream.Run(Write(own, step));
        AfterWrite(stream, own, false);
        for (const Array* in : {&own, &shared}) {
          BeforeRead(stream, *in);
          stream.Run(Sum(*in, sum));
          AfterRead(stream, *in);
        }
        stream.Then(
            [](void* count) { ++*static_cast<std::atomic<int>*>(count); },
            &called);
        if (step % 16 == t) device.Progress();
        if (step % 50 == t) {
          EXPECT_TRUE(stream.Synchronize().ok());
        }
      }
      EXPECT_TRUE(stream.Synchronize().ok());
    });
  }
  for (std::thread& thread : threads) thread.join();
  world.RunAll();
  for (int64_t sum : sums) {
    EXPECT_EQ(sum, kLength * (kSteps * (kSteps - 1) / 2 + kSteps));
  }
  EXPECT_EQ(called, kThreads * kSteps);
  for (const Violation& v : world.TakeViolations()) ADD_FAILURE() << v.text;
  shared = Array();
  EXPECT_EQ(device.allocator().stats().bytes_in_use, 0);
}

TEST(SimThreads, WaitersDriveForEachOther) {
  // A chain that goes from device to device; each thread waits for its own.
  SimWorld world;
  std::vector<SimDevice*> devices;
  for (int d = 0; d < kThreads; ++d) devices.push_back(*world.AddDevice());
  std::vector<EventRef> events;
  int64_t steps = 0;
  for (int i = 0; i < 50 * kThreads; ++i) {
    SimStream& stream = devices[static_cast<size_t>(i % kThreads)]->stream();
    if (i) stream.WaitFor(events.back());
    stream.Run({.label = "step", .run = [&steps, i] { steps += steps == i; }});
    events.push_back(stream.Record());
  }
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (size_t i = static_cast<size_t>(t); i < events.size();
           i += kThreads) {
        world.WaitUntilReached(events[i]);
        EXPECT_TRUE(events[i]->Reached());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(steps, 50 * kThreads);
}

}  // namespace
}  // namespace sluice
