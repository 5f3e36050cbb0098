#include "sluice/placement/placer.h"

#include <gtest/gtest.h>

#include "sluice/graph/example_graphs_test_util.h"
#include "sluice/graph/text_printer.h"
#include "sluice/placement/placement_test_util.h"

namespace sluice {
namespace {

const std::vector<std::string>& ThreeDevices() {
  static const auto* const kNames = new std::vector<std::string>{
      "/device:cpu:0", "/device:sim:0", "/device:sim:1"};
  return *kNames;
}

std::string Places(std::string_view text, const PlacementOptions& options) {
  std::unique_ptr<Graph> graph = ParsedGraph(text);
  std::string before = PrintGraph(*graph);
  Result<PlacementReport> report = Place(*graph, options);
  if (report.ok()) return PlacesIn(graph->root());
  EXPECT_EQ(PrintGraph(*graph), before);
  return report.status().message();
}

// ---- Wishes and kernels ----

TEST(Placer, WishesAreMetAndTheRestIsPreferred) {
  constexpr std::string_view kText = R"(graph g(%x: f32[4]) -> (%d) {
    %a = Neg(%x) on "sim:1"
    %b = Neg(%a) on "sim"
    %c = Neg(%b)
    %d = Neg(%c) on "/device:cpu:0"
  })";
  PlacementOptions options = DevicesNamed(ThreeDevices());
  EXPECT_EQ(Places(kText, options), "a sim:1, b sim:0, c cpu:0, d cpu:0");
  options.preferred = 2;
  EXPECT_EQ(Places(kText, options), "a sim:1, b sim:0, c sim:1, d cpu:0");
}

TEST(Placer, TheChosenDeviceIsTheWholeName) {
  std::unique_ptr<Graph> graph =
      ParsedGraph("graph g(%x: f32[4]) -> (%a) { %a = Neg(%x) on \"sim:0\" }");
  PlacementOptions options = DevicesNamed(
      {"/job:w/task:1/device:cpu:0", "/job:w/task:1/device:sim:0"});
  ASSERT_TRUE(Place(*graph, options).ok());
  EXPECT_EQ(graph->FindNode("a")->device(), "/job:w/task:1/device:sim:0");
}

TEST(Placer, WhatADeviceCannotRunFallsBackOrFails) {
  constexpr std::string_view kText = R"(graph g(%x: f32[4]) -> (%b) {
    %a = NonZero(%x) on "sim:1" @ "model.cc":7
    %b = Neg(%x) on "sim:4" @ "model.cc":8
  })";
  PlacementOptions options = DevicesNamed(ThreeDevices());
  EXPECT_EQ(Places(kText, options), "a cpu:0, b cpu:0");
  options.preferred = 1;  // what somebody asked for is not where others go
  EXPECT_EQ(Places(kText, options), "a cpu:0, b cpu:0");
  options.soft = false;
  EXPECT_EQ(Places(kText, options),
            "[NonZero] \"a\" asks for device \"/device:sim:1\"; [NonZero] "
            "\"a\" has no kernel for (f32) -> (i64) there, only on "
            "/device:cpu:0\n  at model.cc:7 (node \"a\")");
}

TEST(Placer, ANodeMayAskToBeWithAnother) {
  constexpr std::string_view kText = R"(graph g(%x: f32[4]) -> (%a, %d, %e) {
    %a = Neg(%x)
    %b = Neg(%x) on "sim:1"
    %c = Neg(%b) on "@b"
    %d = Neg(%c) on "@a"
    %e = Neg(%c) on "@nobody"
  })";
  PlacementOptions options = DevicesNamed(ThreeDevices());
  options.preferred = 1;
  EXPECT_EQ(Places(kText, options),
            "a sim:0, b sim:1, c sim:1, d sim:0, e sim:0");
  options.preferred = 0;
  EXPECT_EQ(Places(kText, options),
            "a cpu:0, b sim:1, c sim:1, d cpu:0, e cpu:0");
  std::unique_ptr<Graph> graph = ParsedGraph(kText);
  Result<PlacementReport> report = Place(*graph, options);
  ASSERT_TRUE(report.ok());
  EXPECT_NE(report->Explain().find("asked to be with \"b\""), std::string::npos)
      << report->Explain();
}

TEST(Placer, VariablesAreWhereTheyAreAskedForWhateverChangesThem) {
  PlacementOptions options = DevicesNamed(ThreeDevices());
  EXPECT_EQ(Places(R"(graph g(%x: f32[4], %i: i64[1], %u: f32[1]) -> (%r) {
    %v = Variable [shape = [4], dtype = f32] on "sim:1"
    %a = Assign(%v, %x)
    %b = AssignAdd(%v, %x)
    %c = AssignSub(%v, %x)
    %s = ScatterAdd(%v, %i, %u)
    %t = IsInitialized(%v)
    %r = ReadVariable(%v) [dtype = f32, shape = [4]]
  })",
                   options),
            "v sim:1, a sim:1, b sim:1, c sim:1, s sim:1, t sim:1, r sim:1");
}

struct BadWish {
  const char* what;
  const char* graph;
  bool soft;
  const char* message;
};

TEST(Placer, BadWishesAreErrorsThatNameTheLine) {
  const BadWish kCases[] = {
      {"no device of that number", R"(graph g(%x: f32[]) -> (%a) {
         %a = Neg(%x) on "sim:7" @ "m.cc":3 })",
       false,
       "[Neg] \"a\" asks for device \"/device:sim:7\", which is not there; "
       "there are /device:cpu:0, /device:sim:0, /device:sim:1\n"
       "  at m.cc:3 (node \"a\")"},
      {"no such job, soft or not", R"(graph g(%x: f32[]) -> (%a) {
         %a = Neg(%x) on "/job:ps" @ "m.cc":3 })",
       true,
       "[Neg] \"a\" asks for device \"/job:ps\", which is not there; there are "
       "/device:cpu:0, /device:sim:0, /device:sim:1\n"
       "  at m.cc:3 (node \"a\")"},
      {"no name of a device", R"(graph g(%x: f32[]) -> (%a) {
         %a = Neg(%x) on "toaster:1" @ "m.cc":3 })",
       true,
       "\"toaster:1\" is no device: there is no kind \"toaster\" (there are "
       "cpu, gpu and sim); wanted a name like \"gpu:0\" or "
       "\"/job:worker/task:0/device:gpu:0\", parts of which may be left out\n"
       "  at m.cc:3 (node \"a\")"},
      {"state and its user", R"(graph g(%x: f32[]) -> (%r) {
         %v = Variable [shape = [], dtype = f32] on "cpu:0" @ "m.cc":3
         %r = ReadVariable(%v) [dtype = f32] on "sim:1" @ "m.cc":9 })",
       false,
       "[ReadVariable] \"r\" asks for device \"sim:1\", but must be with "
       "[Variable] \"v\", which asks for \"cpu:0\"; wanted wishes that one "
       "device meets\n  at m.cc:9 (node \"r\")\n  at m.cc:3 (node \"v\")"},
      {"state in two tasks", R"(graph g(%x: f32[]) -> (%r) {
         %v = Variable [shape = [], dtype = f32] on "/task:0" @ "m.cc":3
         %r = ReadVariable(%v) [dtype = f32] on "/task:1" @ "m.cc":9 })",
       true,
       "[ReadVariable] \"r\" asks for device \"/task:1\", but must be with "
       "[Variable] \"v\", which asks for \"/task:0\"; wanted wishes that one "
       "device meets\n  at m.cc:9 (node \"r\")\n  at m.cc:3 (node \"v\")"},
  };
  for (const BadWish& c : kCases) {
    SCOPED_TRACE(c.what);
    PlacementOptions options = DevicesNamed(ThreeDevices());
    options.soft = c.soft;
    EXPECT_EQ(Places(c.graph, options), c.message);
  }
}

TEST(Placer, DevicesAreChecked) {
  constexpr std::string_view kText = "graph g(%x: f32[]) -> (%x) {}";
  EXPECT_EQ(Places(kText, {}),
            "placement got no devices; wanted at least a CPU");
  EXPECT_EQ(Places(kText, DevicesNamed({"/device:sim:0"})),
            "placement got \"/device:sim:0\" as its first device; wanted the "
            "CPU of this task");
  EXPECT_EQ(Places(kText, DevicesNamed({"cpu:0", "cpu:0"})),
            "placement got the device \"/device:cpu:0\" twice");
  EXPECT_EQ(Places(kText, DevicesNamed({"cpu"})),
            "placement got the device \"/device:cpu\"; wanted a kind and a "
            "number");
  PlacementOptions options = DevicesNamed(ThreeDevices());
  options.preferred = 3;
  EXPECT_EQ(Places(kText, options), "placement prefers device 3 of 3");
}

TEST(Placer, AFallBackStaysInItsTask) {
  PlacementOptions options =
      DevicesNamed({"/job:w/task:0/device:cpu:0", "/job:w/task:1/device:cpu:0",
                    "/job:w/task:1/device:sim:0"});
  EXPECT_EQ(Places(R"(graph g(%x: f32[4]) -> (%a) {
    %a = NonZero(%x) on "/task:1/device:sim:0"
  })",
                   options),
            "a /job:w/task:1cpu:0");
}

// ---- State ----

TEST(Placer, StateIsWhereItsHandleIs) {
  PlacementOptions options = DevicesNamed({"cpu:0", "cpu:1", "sim:0"});
  options.preferred = 2;
  EXPECT_EQ(Places(R"(graph g(%x: f32[]) -> (%r2) {
    %v = Variable [shape = [], dtype = f32] on "cpu:1"
    %y = Neg(%x)
    %a = Assign(%v, %y)
    %w = Identity(%v) on "sim:0"
    %r = ReadVariable(%w) [dtype = f32] on "sim:0"
    %same = Variable [shape = [], dtype = f32, shared_name = "s"] on "cpu:1"
    %again = Variable [shape = [], dtype = f32, shared_name = "s"]
    %r2 = Add(%r, %y)
  })",
                   options),
            "v cpu:1, y sim:0, a cpu:1, w cpu:1, r cpu:1, same cpu:1, again "
            "cpu:1, r2 sim:0");
}

TEST(Placer, HandlesAreFollowedThroughRegionsAndCalls) {
  PlacementOptions options = DevicesNamed({"cpu:0", "cpu:1"});
  EXPECT_EQ(Places(R"(graph g(%n: i32[], %p: bool[]) -> (%last) {
    %v = Variable [shape = [], dtype = f32] on "cpu:1"
    %f = Function {
      body(%h: resource[]) { %r = ReadVariable(%h) [dtype = f32] yield %r }
    }
    %c = Call(%f, %v) [dtypes = {f32}]
    %none = Const [value = 0]
    %list = ListNew(%none) [dtype = f32, shape = []] on "cpu:1"
    %zero = Const [value = 0]
    %loop = While(%zero, %list) [dtypes = {i32, list}] {
      cond(%i: i32[], %l: list[]) { %more = Less(%i, %n) yield %more }
      body(%i: i32[], %l: list[]) {
        %i1 = Add(%i, 1)
        %read = ReadVariable(%v) [dtype = f32]
        %l1 = ListAppend(%l, %read)
        yield %i1, %l1
      }
    }
    %last = ListStack(%loop:1) [dtype = f32]
  })",
                   options),
            "v cpu:1, f cpu:0, r cpu:1, c cpu:0, none cpu:0, list cpu:1, zero "
            "cpu:0, loop cpu:0, more cpu:0, i1.b cpu:0, i1 cpu:0, read cpu:1, "
            "l1 cpu:1, "
            "last cpu:1");
}

// ---- The host ----

TEST(Placer, ACountedLoopInADeviceScopeCountsOnTheHost) {
  PlacementOptions options = DevicesNamed(ThreeDevices());
  EXPECT_EQ(Places(R"(graph g(%n: i32[], %x: f32[4]) -> (%loop:1) {
    %zero = Const [value = 0] on "sim:1"
    %loop = While(%zero, %x) [dtypes = {i32, f32}] : i32[], f32[4] on "sim:1" {
      cond(%i: i32[], %z: f32[4]) {
        %more = Less(%i, %n) on "sim:1"
        yield %more
      }
      body(%i: i32[], %z: f32[4]) {
        %one = Const [value = 1] on "sim:1"
        %i1 = Add(%i, %one) on "sim:1"
        %w = Const [value = 0.5 : f32[]] on "sim:1"
        %z1 = Mul(%z, %w) on "sim:1"
        yield %i1, %z1
      }
    }
  })",
                   options),
            "zero cpu:0, loop cpu:0, more cpu:0, one cpu:0, i1 cpu:0, w sim:1, "
            "z1 sim:1");
}

TEST(Placer, AListStaysWithItsElementsAndItsIndicesOnTheHost) {
  PlacementOptions options = DevicesNamed(ThreeDevices());
  options.preferred = 2;
  EXPECT_EQ(Places(R"(graph g(%n: i32[], %x: f32[4]) -> (%all) {
    %zero = Const [value = 0]
    %list = ListNew(%zero) [dtype = f32, shape = [4]]
    %loop = While(%zero, %list) [dtypes = {i32, list}] : i32[], list[] {
      cond(%i: i32[], %l: list[]) { %more = Less(%i, %n) yield %more }
      body(%i: i32[], %l: list[]) {
        %one = Const [value = 1]
        %i1 = Add(%i, %one)
        %y = Neg(%x)
        %l1 = ListAppend(%l, %y)
        %got = ListGet(%l1, %i) [dtype = f32]
        %l2 = ListAppend(%l1, %got)
        yield %i1, %l2
      }
    }
    %all = ListStack(%loop:1) [dtype = f32]
  })",
                   options),
            "zero cpu:0, list sim:1, loop cpu:0, more cpu:0, one cpu:0, i1 "
            "cpu:0, y sim:1, l1 sim:1, got sim:1, l2 sim:1, all sim:1");
}

TEST(Placer, ATruthThatADeviceComputesStaysThere) {
  PlacementOptions options = DevicesNamed(ThreeDevices());
  options.preferred = 1;
  EXPECT_EQ(Places(R"(graph g(%x: f32[], %y: f32[]) -> (%b) {
    %s = Neg(%x)
    %p = Greater(%s, %y)
    %b = If(%p) [dtypes = {f32}] {
      then() { %t = Neg(%s) yield %t }
      else() { yield %y }
    }
  })",
                   options),
            "s sim:0, p sim:0, b cpu:0, t sim:0");
}

TEST(Placer, SizesAreReadOnTheHost) {
  PlacementOptions options = DevicesNamed(ThreeDevices());
  options.preferred = 1;
  EXPECT_EQ(Places(R"(graph g(%x: f32[?,4], %like: f32[?,2]) -> (%y, %d) {
    %a = Neg(%like)
    %s = Shape(%a)
    %y = Reshape(%x, %s)
    %k = Const [value = 3 : i64[]]
    %d = Add(%k, 1)
  })",
                   options),
            "a sim:0, s cpu:0, y sim:0, k sim:0, d.b sim:0, d sim:0");
}

TEST(Placer, StringsStayOnTheHost) {
  PlacementOptions options = DevicesNamed(ThreeDevices());
  options.preferred = 1;
  EXPECT_EQ(Places(R"(graph g(%s: string[]) -> (%b) {
    %a = Identity(%s)
    %b = StringUpper(%a)
  })",
                   options),
            "a cpu:0, b cpu:0");
}

// ---- Primitives and constants ----

TEST(Placer, PrimitivesGoWithWhatTheyPassOn) {
  PlacementOptions options = DevicesNamed(ThreeDevices());
  options.preferred = 2;
  EXPECT_EQ(Places(kRawLoopGraph, options),
            "zero cpu:0, one cpu:0, i_in cpu:0, v_in sim:1, n_in cpu:0, one_in "
            "cpu:0, i cpu:0, v sim:1, less cpu:0, p cpu:0, i_sw cpu:0, v_sw "
            "sim:1, i1 cpu:0, v1 sim:1, i_next cpu:0, v_next sim:1, count "
            "cpu:0, out sim:1");
}

TEST(Placer, ConstantsGoWithWhoReadsThem) {
  PlacementOptions options = DevicesNamed(ThreeDevices());
  EXPECT_EQ(Places(R"(graph g(%x: f32[2]) -> (%b, %unread) {
    %k = Const [value = [1 2] : f32[2]]
    %unread = Const [value = [1 2] : f32[2]]
    %a = Add(%x, %k) on "sim:1"
    %b = Mul(%a, %k)
  })",
                   options),
            "k sim:1, unread cpu:0, a sim:1, b cpu:0");
}

TEST(Placer, TheSearchLeavesADeviceAloneThatMayHoldNothing) {
  PlacementOptions options = DevicesNamed(ThreeDevices());
  options.search = true;
  options.devices[0].flops_per_second = 1e6;
  options.devices[1].memory_bytes = 0;
  EXPECT_EQ(Places(R"(graph g(%x: f32[256,256]) -> (%b, %c) {
    %a = MatMul(%x, %x)
    %b = MatMul(%a, %a) on "sim"
    %c = Neg(%a) on "sim:0"
  })",
                   options),
            "a sim:1, b sim:1, c sim:0");
}

// ---- The report ----

TEST(Placer, TheReportExplains) {
  std::unique_ptr<Graph> graph = ParsedGraph(R"(graph g(%x: f32[256]) -> (%c) {
    %a = Neg(%x) on "sim:1" @ "m.cc":1
    %b = NonZero(%a) on "sim:1" @ "m.cc":2
    %c = Add(%a, %a) @ "m.cc":3
  })");
  PlacementOptions options = DevicesNamed(ThreeDevices());
  options.measured_seconds = [](const Node&, int) { return 0.25; };
  options.link = [](int, int) {
    return LinkModel{.bytes_per_second = 1e12, .latency_seconds = 0};
  };
  Result<PlacementReport> report = Place(*graph, options);
  ASSERT_TRUE(report.ok()) << report.status().message();
  EXPECT_EQ(report->unmet_wishes, 1);
  EXPECT_NEAR(report->predicted_seconds, 0.75, 1e-6);
  report->predicted_seconds = 0.75;
  EXPECT_EQ(
      report->Explain(),
      "a -> /device:sim:1: asked for; asked \"sim:1\"; 1.0 KiB copied to it "
      "(m.cc:1)\n"
      "b -> /device:cpu:0: fell back: there is no kernel there; asked "
      "\"sim:1\"; 1.0 KiB copied to it (m.cc:2)\n"
      "c -> /device:cpu:0: the preferred device (m.cc:3)\n"
      "3 nodes on 3 devices, 2.0 KiB copied, 0.75 s predicted, 1 wishes not "
      "met\n");
}

}  // namespace
}  // namespace sluice
