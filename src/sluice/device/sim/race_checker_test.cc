#include "sluice/device/sim/race_checker.h"

#include <gtest/gtest.h>

#include "sluice/device/sim/sim_device.h"
#include "sluice/device/stream_order.h"

namespace sluice {
namespace {

using Kind = Violation::Kind;

struct RaceTest : testing::Test {
  RaceTest() { world.SetChecking(true); }

  SimWorld world;
  SimDevice& device = **world.AddDevice();
  SimStream& compute = device.stream();
  SimStream& to_host = device.stream(StreamUse::kToHost);
  SimStream& from_host = device.stream(StreamUse::kFromHost);
  char host[64];

  Array Make(Stream& s, int64_t bytes = 64) {
    return *Array::Make(DType::kU8, {bytes}, device.allocator().For(s));
  }
  static void Read(SimStream& s, const Array& a, std::string label = "read") {
    s.Run({.label = std::move(label), .reads = {RangeOf(a)}});
  }
  static void Write(SimStream& s, const Array& a, std::string label = "write") {
    s.Run({.label = std::move(label), .writes = {RangeOf(a)}});
  }
  Place At(const Array& a) { return {&device.memory(), a.address()}; }
  // The kinds found, and all messages.
  std::string Found() {
    std::string text;
    for (const Violation& v : world.TakeViolations()) {
      constexpr const char* kNames[] = {
          "race: ", "reuse: ", "freed: ", "unknown: "};
      text += kNames[static_cast<int>(v.kind)] + v.text + "\n";
    }
    return text;
  }
};

TEST_F(RaceTest, OneStreamIsInOrder) {
  Array a = Make(compute);
  Write(compute, a);
  Read(compute, a);
  Write(compute, a);
  EXPECT_EQ(Found(), "");
}

TEST_F(RaceTest, AMissingWaitIsFoundWhoeverComesFirst) {
  Array a = Make(compute);
  Write(compute, a, "mul");
  Read(to_host, a, "save");
  EXPECT_EQ(Found(),
            "race: \"save\" on /device:sim:0 to host reads 64 bytes in the "
            "memory of /device:sim:0 that \"mul\" on /device:sim:0 compute "
            "writes; neither waits for the other\n");
  Write(compute, a, "add");  // over what is being read
  EXPECT_EQ(Found(),
            "race: \"add\" on /device:sim:0 compute writes 64 bytes in the "
            "memory of /device:sim:0 that \"save\" on /device:sim:0 to host "
            "reads; neither waits for the other\n");
}

TEST_F(RaceTest, WorkThatRanInOrderByLuckIsFoundToo) {
  Array a = Make(compute);
  Write(compute, a);
  world.RunAll();
  Read(to_host, a);
  EXPECT_NE(Found(), "");
}

TEST_F(RaceTest, EventsAndWhatTheHostSawMakeAnOrder) {
  Array a = Make(compute), b = Make(compute), c = Make(compute);
  Write(compute, a);
  to_host.WaitFor(compute.Record());
  Read(to_host, a);
  // Through a third stream.
  from_host.WaitFor(to_host.Record());
  Write(from_host, a);
  // The host waited.
  Write(compute, b);
  ASSERT_TRUE(compute.Synchronize().ok());
  Read(to_host, b);
  // The host looked, and it was done.
  Write(compute, c);
  EventRef event = compute.Record();
  world.RunAll();
  ASSERT_TRUE(event->Reached());
  Read(to_host, c);
  EXPECT_EQ(Found(), "");
}

TEST_F(RaceTest, ACallbackTellsTheHost) {
  Array a = Make(compute);
  Write(compute, a);
  compute.Then([](void*) {}, nullptr);
  world.RunAll();
  Read(to_host, a);
  EXPECT_EQ(Found(), "");
}

TEST_F(RaceTest, AnEventBeforeTheWriteOrdersNothing) {
  Array a = Make(compute);
  Read(compute, Make(compute));
  EventRef early = compute.Record();
  Write(compute, a);
  to_host.WaitFor(early);
  Read(to_host, a);
  EXPECT_EQ(Found().substr(0, 5), "race:");
}

TEST_F(RaceTest, PartsOfABlockAreApart) {
  Array a = Make(compute);
  Write(compute, Array::View(a, 0, {32}, {1}));
  Write(to_host, Array::View(a, 32, {32}, {1}));
  EXPECT_EQ(Found(), "");
  Write(from_host, Array::View(a, 31, {2}, {1}));
  // With either.
  EXPECT_EQ(world.TakeViolations().size(), 2u);
}

TEST_F(RaceTest, EarlyReuseIsFound) {
  Array a = Make(compute);
  BeforeWrite(compute, a);
  Write(compute, a, "mul");
  AfterWrite(compute, a, true);
  BeforeRead(to_host, a);
  Read(to_host, a, "save");
  // AfterRead is missing: nobody knows that the copy still reads.
  a = Array();
  Array b = Make(compute);
  Write(compute, b, "next");
  EXPECT_EQ(Found(),
            "reuse: \"next\" on /device:sim:0 compute writes 64 bytes in the "
            "memory of /device:sim:0 that \"save\" on /device:sim:0 to host "
            "reads; neither waits for the other, and the memory has a new "
            "owner since\n");
}

TEST_F(RaceTest, MemoryChangesHandsInStreamOrder) {
  for (int i = 0; i < 20; ++i) {
    Array a = Make(compute);
    BeforeWrite(compute, a);
    Write(compute, a);
    AfterWrite(compute, a, true);
    BeforeRead(to_host, a);
    Read(to_host, a);
    AfterRead(to_host, a);
    Array b = Make(from_host);
    BeforeWrite(from_host, b);
    Write(from_host, b);
    AfterWrite(from_host, b, true);
    BeforeRead(compute, b);
    Read(compute, b);
    AfterRead(compute, b);
  }
  EXPECT_EQ(Found(), "");
}

TEST_F(RaceTest, FreedAndUnknownMemoryIsFound) {
  Array a = Make(compute);
  Array look = a.Borrowed();
  Write(compute, look);
  a = Array();
  Read(compute, look, "late");
  EXPECT_EQ(Found(),
            "freed: \"late\" on /device:sim:0 compute reads 64 bytes in the "
            "memory of /device:sim:0 after they were freed\n");
  ByteRange beyond = RangeOf(look);
  beyond.address = static_cast<char*>(beyond.address) + (1 << 20);
  compute.Run({.label = "stray", .reads = {beyond}});
  EXPECT_EQ(Found().substr(0, 8), "unknown:");
}

// A value goes to the host and comes back into other memory: the copy back must
// come after the copy out, also where each is in order with the kernels.
TEST_F(RaceTest, ASwapThatOvertakesItselfIsFound) {
  for (bool right : {true, false}) {
    Array a = Make(compute), b = Make(compute);
    Write(compute, a);
    to_host.WaitFor(compute.Record());
    to_host.Copy({nullptr, host}, At(a), 64);
    if (right) from_host.WaitFor(to_host.Record());
    from_host.Copy(At(b), {nullptr, host}, 64);
    compute.WaitFor(from_host.Record());
    Read(compute, b);
    EXPECT_EQ(Found().find("race: \"copy from host\"") == 0, !right) << right;
    world.RunAll();
    ASSERT_TRUE(to_host.Synchronize().ok());
    ASSERT_TRUE(from_host.Synchronize().ok());
  }
}

TEST_F(RaceTest, TheHostIsAParticipant) {
  Array a = Make(compute);
  ByteRange bytes{nullptr, host, 64};
  world.HostAccess("fill", bytes, true);
  compute.Copy(At(a), {nullptr, host}, 64);
  EXPECT_EQ(Found(), "");
  world.HostAccess("fill again", bytes, true);
  EXPECT_NE(Found().find("\"fill again\" on the host writes"),
            std::string::npos);
  compute.Copy({nullptr, host}, At(a), 64);
  ASSERT_TRUE(compute.Synchronize().ok());
  world.HostAccess("use", bytes, false);
  EXPECT_EQ(Found(), "");
}

TEST_F(RaceTest, WhatWasIssuedUnwatchedIsForgotten) {
  world.SetChecking(false);
  Array a = Make(compute);
  Write(compute, a);
  Read(to_host, a);
  world.SetChecking(true);
  Read(compute, a);
  EXPECT_EQ(Found(), "");
  Write(to_host, a);
  EXPECT_NE(Found(), "");
}

}  // namespace
}  // namespace sluice
