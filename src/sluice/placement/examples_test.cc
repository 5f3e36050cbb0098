// Example programs, placed by hand and by the search: all of them is placed,
// and the search is never worse than the hand.
#include <gtest/gtest.h>

#include <algorithm>

#include "sluice/graph/batch_edit.h"
#include "sluice/graph/example_graphs_test_util.h"
#include "sluice/graph/text_printer.h"
#include "sluice/placement/placement_test_util.h"

namespace sluice {
namespace {

constexpr int kSims = 4;

PlacementOptions Options(bool search) {
  std::vector<std::string> names = {"/device:cpu:0"};
  for (int i = 0; i < kSims; ++i) names.push_back(StrCat("/device:sim:", i));
  PlacementOptions options = DevicesNamed(names);
  options.search = search;
  return options;
}

// A tower per device on a part of the batch; the gradients' sum.
std::string Towers() {
  std::string text = "graph towers(%w: f32[128,128]";
  for (int k = 0; k < kSims; ++k) StrAppend(text, ", %x", k, ": f32[64,128]");
  StrAppend(text, ") -> (%sum", kSims - 1, ") {\n");
  for (int k = 0; k < kSims; ++k) {
    std::string on = StrCat(" on \"sim:", k, "\"\n");
    StrAppend(text, "  %h", k, " = MatMul(%x", k, ", %w)", on);
    StrAppend(text, "  %t", k, " = Tanh(%h", k, ")", on);
    StrAppend(text, "  %y", k, " = MatMul(%t", k, ", %w)", on);
    StrAppend(text, "  %g", k, " = Mul(%y", k, ", %t", k, ")", on);
  }
  for (int k = 1; k < kSims; ++k) {
    std::string before = k == 1 ? "g0" : StrCat("sum", k - 1);
    StrAppend(text, "  %sum", k, " = Add(%", before, ", %g", k,
              ") on \"sim:0\"\n");
  }
  return text + "}";
}

// Layers of a recurrent network, `per` ops of them on each device: iterations
// follow each other through them.
std::string Pipeline(int per) {
  std::string given, args, types, yields;
  for (int k = 0; k < kSims; ++k) {
    StrAppend(given, ", %s", k, ": f32[64,64]");
    StrAppend(args, ", %h", k, ": f32[64,64]");
    StrAppend(types, ", f32");
    StrAppend(yields, ", %n", k, "_", per - 1);
  }
  std::string text = "graph pipeline(%n: i32[], %w: f32[64,64]";
  StrAppend(text, given, ") -> (%loop:", kSims,
            ") {\n  %zero = Const [value = ", "0]\n  %loop = While(%zero");
  for (int k = 0; k < kSims; ++k) StrAppend(text, ", %s", k);
  StrAppend(text, ") [dtypes = {i32", types, "], parallel = 32] {\n");
  text.replace(text.find("]", text.find("dtypes")), 1, "}");
  StrAppend(text, "    cond(%i: i32[]", args,
            ") { %more = Less(%i, %n) yield %more }\n    body(%i: i32[]", args,
            ") {\n      %next = Add(%i, 1)\n");
  std::string in = "w";
  for (int k = 0; k < kSims; ++k) {
    std::string on = StrCat(" on \"sim:", k, "\"\n");
    for (int i = 0; i < per; ++i) {
      std::string own = i == 0 ? StrCat("h", k) : in;
      StrAppend(text, "      %n", k, "_", i, " = ",
                i % 2 ? StrCat("Tanh(%", in, ")")
                      : StrCat("MatMul(%", i == 0 ? in : own, ", %h", k, ")"),
                on);
      in = StrCat("n", k, "_", i);
    }
  }
  return StrCat(text, "      yield %next", yields, "\n    }\n  }\n}");
}

// Two chains of products that meet.
std::string Branches(int length) {
  std::string text =
      "graph branches(%a0: f32[96,96], %b0: f32[96,96]) -> (%y) {\n";
  for (int i = 0; i < length; ++i) {
    for (char c : {'a', 'b'}) {
      StrAppend(text, "  %", std::string(1, c), i + 1, " = MatMul(%",
                std::string(1, c), i, ", %", std::string(1, c),
                "0) on \"sim:", c == 'a' ? 0 : 1, "\"\n");
    }
  }
  return StrCat(text, "  %y = Add(%a", length, ", %b", length,
                ") on \"sim:0\"\n}");
}

// Four stages for each of eight parts of a batch.
std::string MicroBatches() {
  constexpr int kParts = 8;
  std::string text = "graph parts(%w: f32[96,96]";
  for (int p = 0; p < kParts; ++p) StrAppend(text, ", %x", p, ": f32[64,96]");
  StrAppend(text, ") -> (%all", kParts - 1, ") {\n");
  for (int p = 0; p < kParts; ++p) {
    std::string in = StrCat("x", p);
    for (int k = 0; k < kSims; ++k) {
      std::string out = StrCat("y", p, "_", k);
      StrAppend(text, "  %", out, " = MatMul(%", in, ", %w) on \"sim:", k,
                "\"\n");
      in = out;
    }
    if (p == 0) continue;
    std::string before =
        p == 1 ? StrCat("y0_", kSims - 1) : StrCat("all", p - 1);
    StrAppend(text, "  %all", p, " = Add(%", before, ", %", in,
              ") on \"sim:", kSims - 1, "\"\n");
  }
  return text + "}";
}

constexpr const char* kTraining = R"(graph step(%x: f32[64,128]) -> (%loss) {
  %v = Variable [shape = [128,128], dtype = f32] on "sim:1"
  %w = ReadVariable(%v) [dtype = f32, shape = [128,128]]
  %y = MatMul(%x, %w) on "sim:1"
  %e = Square(%y) on "sim:1"
  %loss = Sum(%e) on "sim:0"
  %g = MatMul(%x, %e) [transpose_a = true] on "sim:1"
  %u = AssignSub(%v, %g)
})";

// Newton's iteration: the host's, mostly.
constexpr const char* kNewton = R"(graph newton(%a: f32[]) -> (%loop:1) {
  %zero = Const [value = 0 : i32[]]
  %loop = While(%zero, %a) [dtypes = {i32, f32}] : i32[], f32[] {
    cond(%i: i32[], %z: f32[]) {
      %q = Mul(%z, %z)
      %m = Sub(%q, %a)
      %p = Greater(%m, 1e-06)
      yield %p
    }
    body(%i: i32[], %z: f32[]) {
      %i1 = Add(%i, 1)
      %p2 = Less(%z, 0)
      %pick = If(%p2) [dtypes = {f32}] {
        then() { yield %z }
        else() { %z1 = Mul(%z, 0.5) on "sim:0" yield %z1 }
      }
      yield %i1, %pick
    }
  }
})";

struct Example {
  const char* name;
  std::string text;
};

std::vector<Example> Examples() {
  return {{"towers", Towers()},
          {"pipeline, an op a layer", Pipeline(1)},
          {"pipeline, eight ops a layer", Pipeline(8)},
          {"short branches", Branches(4)},
          {"long branches", Branches(40)},
          {"parts of a batch", MicroBatches()},
          {"training", kTraining},
          {"newton", kNewton},
          {"raw loop", std::string(kRawLoopGraph)},
          {"recursion", std::string(kRecursionGraph)}};
}

void DropWishes(Region& region, BatchEdit& edit) {
  for (Node* node : region.nodes()) {
    edit.SetDevice(*node, "");
    for (const auto& inner : node->regions()) DropWishes(*inner, edit);
  }
}

// Every node is on one of the devices, and none where it has no kernel.
void ExpectWhole(const Region& region, const PlacementReport& report) {
  for (const Node* node : region.nodes()) {
    const auto& all = report.devices;
    EXPECT_NE(std::find(all.begin(), all.end(), node->device()), all.end())
        << node->name() << " is on \"" << node->device() << "\"";
    const NodePlacement& placed = report.nodes[static_cast<size_t>(node->id())];
    EXPECT_EQ(all[static_cast<size_t>(placed.device)], node->device());
    EXPECT_FALSE(placed.why.empty()) << node->name();
    for (const auto& inner : node->regions()) ExpectWhole(*inner, report);
  }
}

PlacementReport PlacedReport(Graph& graph, const PlacementOptions& options) {
  Result<PlacementReport> report = Place(graph, options);
  EXPECT_TRUE(report.ok()) << report.status().message();
  if (!report.ok()) return {};
  ExpectWhole(graph.root(), *report);
  return std::move(*report);
}

TEST(PlacementExamples, TheSearchIsNeverWorseThanTheHand) {
  for (const Example& example : Examples()) {
    SCOPED_TRACE(example.name);
    std::unique_ptr<Graph> by_hand = ParsedGraph(example.text);
    PlacementReport hand = PlacedReport(*by_hand, Options(false));
    EXPECT_EQ(hand.unmet_wishes, 0);
    ASSERT_GT(hand.predicted_seconds, 0);
    std::unique_ptr<Graph> free = ParsedGraph(example.text);
    {
      BatchEdit edit(*free);
      DropWishes(free->root(), edit);
    }
    PlacementReport found = PlacedReport(*free, Options(true));
    std::printf("%-28s by hand %8.1f us, by search %8.1f us\n", example.name,
                hand.predicted_seconds * 1e6, found.predicted_seconds * 1e6);
    EXPECT_LE(found.predicted_seconds, hand.predicted_seconds * (1 + 1e-9));
  }
}

// Nor than all of it on any one device.
TEST(PlacementExamples, TheSearchIsNeverWorseThanOneDevice) {
  for (const Example& example : Examples()) {
    SCOPED_TRACE(example.name);
    std::unique_ptr<Graph> free = ParsedGraph(example.text);
    {
      BatchEdit edit(*free);
      DropWishes(free->root(), edit);
    }
    double found =
        PlacedReport(*free->Clone(), Options(true)).predicted_seconds;
    for (int device = 0; device <= kSims; ++device) {
      PlacementOptions one = Options(false);
      one.preferred = device;
      EXPECT_LE(found, PlacedReport(*free->Clone(), one).predicted_seconds *
                           (1 + 1e-9))
          << device;
    }
  }
}

}  // namespace
}  // namespace sluice
