#include "sluice/device/sim/sim_world.h"

#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "sluice/base/random.h"
#include "sluice/device/sim/sim_device.h"

namespace sluice {
namespace {

// Round figures: a second for each thing.
constexpr SimOptions kSeconds = {.flops_per_second = 1,
                                 .bytes_per_second = 1,
                                 .kernel_seconds = 1,
                                 .launch_seconds = 0,
                                 .link_bytes_per_second = 1,
                                 .link_latency_seconds = 1};

struct SimWorldTest : testing::Test {
  SimWorld world;
  std::string ran;
  SimDevice& Add(const SimOptions& options = kSeconds) {
    return **world.AddDevice(options);
  }
  SimWork Work(std::string label, double flops = 1) {
    return {
        .label = label, .flops = flops, .run = [this, label] { ran += label; }};
  }
  std::string Timeline() {
    std::string text;
    for (const TimelineItem& item : world.TakeTimeline()) {
      text += item.label + " " + std::to_string(std::lround(item.start)) + "-" +
              std::to_string(std::lround(item.end)) + "\n";
    }
    return text;
  }
};

TEST_F(SimWorldTest, WorkTakesWhatItsArithmeticOrItsTrafficTakes) {
  SimDevice& device = Add();
  world.StartTimeline();
  device.stream().Run({.label = "tiny"});
  device.stream().Run({.label = "flops", .flops = 3, .bytes = 2});
  device.stream().Run({.label = "bytes", .flops = 3, .bytes = 5});
  ASSERT_TRUE(device.stream().Synchronize().ok());
  EXPECT_EQ(Timeline(), "tiny 0-1\nflops 1-4\nbytes 4-9\n");
  EXPECT_DOUBLE_EQ(world.host_seconds(), 9);
  EXPECT_DOUBLE_EQ(world.device_seconds(), 9);
}

TEST_F(SimWorldTest, StreamsOverlapUnlessAnEventOrdersThem) {
  SimDevice& device = Add();
  SimStream& compute = device.stream();
  SimStream& to_host = device.stream(StreamUse::kToHost);
  Array a = *Array::Make(DType::kU8, {9}, device.allocator());
  char host[9];
  world.StartTimeline();
  compute.Run(Work("a", 5));
  to_host.WaitFor(compute.Record());
  compute.Run(Work("b", 20));
  to_host.Copy({nullptr, host}, {&device.memory(), a.address()}, 9);
  compute.WaitFor(to_host.Record());
  compute.Run(Work("c", 1));
  world.RunAll();
  EXPECT_EQ(Timeline(), "a 0-5\nb 5-25\ncopy to host 5-15\nc 25-26\n");
  EXPECT_EQ(ran, "abc");
}

TEST_F(SimWorldTest, AnEventCarriesTheWaitsBeforeIt) {
  SimDevice& a = Add();
  SimDevice& b = Add();
  SimDevice& c = Add();
  world.StartTimeline();
  a.stream().Run(Work("a", 7));
  b.stream().WaitFor(a.stream().Record());
  c.stream().WaitFor(b.stream().Record());  // nothing ran on b
  c.stream().Run(Work("c"));
  world.RunAll();
  EXPECT_EQ(Timeline(), "a 0-7\nc 7-8\n");
}

TEST_F(SimWorldTest, TheHostPaysForEachLaunchAndWaitsWhereItWaits) {
  SimOptions options = kSeconds;
  options.launch_seconds = 2;
  SimDevice& device = Add(options);
  world.StartTimeline();
  device.stream().Run(Work("a", 3));
  EventRef first = device.stream().Record();
  device.stream().Run(Work("b", 3));
  EXPECT_DOUBLE_EQ(world.host_seconds(), 4);
  world.WaitUntilReached(first);
  EXPECT_DOUBLE_EQ(world.host_seconds(), 5);
  world.AdvanceHost(100);
  device.stream().Run(Work("c", 3));
  world.RunAll();
  EXPECT_EQ(Timeline(), "a 2-5\nb 5-8\nc 107-110\n");
  EXPECT_DOUBLE_EQ(world.host_seconds(), 107);
  EXPECT_DOUBLE_EQ(world.device_seconds(), 110);
}

TEST_F(SimWorldTest, AReachedEventStillTellsItsTime) {
  SimDevice& a = Add();
  SimDevice& b = Add();
  world.StartTimeline();
  a.stream().Run(Work("a", 9));
  EventRef event = a.stream().Record();
  EXPECT_FALSE(event->Reached());
  world.RunAll();
  EXPECT_TRUE(event->Reached());
  EXPECT_DOUBLE_EQ(world.host_seconds(), 0);  // it only looked
  b.stream().WaitFor(event);
  b.stream().Run(Work("b"));
  world.RunAll();
  EXPECT_EQ(Timeline(), "a 0-9\nb 9-10\n");
}

TEST_F(SimWorldTest, WorkIsExecutedByItsStart) {
  SimDevice& a = Add();
  SimDevice& b = Add();
  a.stream().Run(Work("1", 5));
  a.stream().Run(Work("3", 5));
  b.stream().Run(Work("2", 7));
  b.stream().Run(Work("4", 5));
  EXPECT_TRUE(a.Progress());
  EXPECT_EQ(ran, "1");
  world.RunAll();
  EXPECT_EQ(ran, "1234");
  EXPECT_FALSE(a.Progress());
}

TEST_F(SimWorldTest, CallbacksComeAfterTheWorkBefore) {
  SimDevice& device = Add();
  auto call = [](void* test) { static_cast<SimWorldTest*>(test)->ran += "!"; };
  device.stream().Then(call, this);
  EXPECT_EQ(ran, "!");  // nothing was open
  device.stream().Run(Work("a", 3));
  device.stream().Then(call, this);
  device.stream().Run(Work("b"));
  EXPECT_EQ(ran, "!");
  world.RunOne();
  EXPECT_EQ(ran, "!a!");
  EXPECT_DOUBLE_EQ(world.host_seconds(), 3);
  world.RunAll();
  EXPECT_EQ(ran, "!a!b");
  device.stream().Then(call, this);
  EXPECT_EQ(ran, "!a!b!");
}

TEST_F(SimWorldTest, EventsOfTheHostAreReached) {
  SimDevice& device = Add();
  struct Done final : Event {
    bool done = false;
    bool Reached() override { return done; }
  };
  auto event = std::make_shared<Done>();
  device.stream().WaitFor(event);
  device.stream().WaitFor(nullptr);
  device.stream().Run(Work("a"));
  EXPECT_FALSE(world.RunOne());
  event->done = true;
  world.RunAll();
  EXPECT_EQ(ran, "a");
}

TEST_F(SimWorldTest, AKernelCannotDriveTheWorldItRunsIn) {
  SimDevice& device = Add();
  bool drove = true;
  device.stream().Run({.label = "a", .run = [&] { drove = world.RunOne(); }});
  device.stream(StreamUse::kPeer).Run(Work("b"));
  world.RunAll();
  EXPECT_FALSE(drove);
  EXPECT_EQ(ran, "b");
}

// A program over several devices, streams and events, from a seed: each item
// adds to cells that only its stream touches, and to one that is handed from
// stream to stream by events.
struct RandomRun {
  std::vector<uint64_t> cells;
  double host = 0, device = 0;
  bool operator==(const RandomRun&) const = default;
};

RandomRun RunProgram(uint64_t program, std::optional<uint64_t> order,
                     int threads) {
  SimWorld world;
  world.SetRandomOrder(order);
  std::vector<SimStream*> streams;
  for (int d = 0; d < 3; ++d) {
    SimDevice& device = **world.AddDevice();
    for (int u = 0; u < kNumStreamUses; ++u) {
      streams.push_back(&device.stream(static_cast<StreamUse>(u)));
    }
  }
  RandomRun run;
  run.cells.resize(streams.size() + 1);
  EventRef handed;
  for (uint64_t i = 0; i < 300; ++i) {
    RandomBlock r = RandomBits({program, 1}, i);
    size_t s = r[0] % streams.size();
    bool shared = r[1] % 3 == 0;
    if (shared && handed) streams[s]->WaitFor(handed);
    uint64_t* cell = &run.cells[shared ? streams.size() : s];
    streams[s]->Run({.label = "step",
                     .flops = static_cast<double>(r[2]) * 1e3,
                     .run = [cell, i] { *cell = *cell * 31 + i; }});
    if (shared) handed = streams[s]->Record();
    if (r[3] % 97 == 0) {
      EXPECT_TRUE(streams[s]->Synchronize().ok());
    }
  }
  std::vector<std::thread> drivers;
  for (int t = 1; t < threads; ++t) {
    drivers.emplace_back([&] { world.RunAll(); });
  }
  world.RunAll();
  for (std::thread& driver : drivers) driver.join();
  run.host = world.host_seconds();
  run.device = world.device_seconds();
  return run;
}

TEST(SimWorldRandom, NeitherValuesNorTimesDependOnTheOrder) {
  for (uint64_t program = 0; program < 10; ++program) {
    RandomRun wanted = RunProgram(program, std::nullopt, 1);
    for (uint64_t seed = 0; seed < 10; ++seed) {
      EXPECT_EQ(RunProgram(program, seed, 1), wanted) << program << " " << seed;
    }
    EXPECT_EQ(RunProgram(program, std::nullopt, 4), wanted) << program;
    EXPECT_EQ(RunProgram(program, 5, 4), wanted) << program;
  }
}

}  // namespace
}  // namespace sluice
