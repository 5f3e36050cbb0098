// Graphs with edges that point upwards: loops of primitives, and functions that
// call themselves.
#include <gtest/gtest.h>

#include "sluice/graph/binary_reader.h"
#include "sluice/graph/binary_writer.h"
#include "sluice/graph/example_graphs_test_util.h"
#include "sluice/graph/stable_order.h"
#include "sluice/graph/text_parser.h"
#include "sluice/graph/text_printer.h"
#include "sluice/graph/verifier.h"

namespace sluice {
namespace {

std::unique_ptr<Graph> Parse(std::string_view text) {
  Result<std::unique_ptr<Graph>> graph = ParseGraph(text);
  EXPECT_TRUE(graph.ok()) << graph.status().message();
  return graph.ok() ? std::move(*graph) : std::make_unique<Graph>("broken");
}

TEST(RawLoop, TheMergeReadsTheNextIterationBelow) {
  std::unique_ptr<Graph> graph = Parse(kRawLoopGraph);
  Node* merge = graph->FindNode("i");
  ASSERT_EQ(merge->num_inputs(), 2);
  EXPECT_EQ(merge->input(1), graph->FindNode("i_next")->output());
  // Nothing beyond the stated types is known of carried values.
  EXPECT_EQ(merge->output_type(0).ToString(), "i32[...]");
  EXPECT_EQ(graph->FindNode("v")->output_type(0).ToString(), "f32[2]");
  EXPECT_TRUE(Verify(*graph).ok()) << Verify(*graph).message();
}

TEST(RawLoop, ProgramOrderIsKept) {
  std::unique_ptr<Graph> graph = Parse(kRawLoopGraph);
  std::vector<Node*> order = StableOrder(graph->root());
  EXPECT_TRUE(std::equal(order.begin(), order.end(),
                         graph->root().nodes().begin(),
                         graph->root().nodes().end()));
}

class Copies : public testing::TestWithParam<std::string_view> {};

TEST_P(Copies, CloneIsWholeAndUsesNothingOfTheOriginal) {
  std::unique_ptr<Graph> graph = Parse(GetParam());
  std::string text = PrintGraph(*graph);
  std::unique_ptr<Graph> copy = graph->Clone();
  EXPECT_EQ(PrintGraph(*copy), text);
  EXPECT_TRUE(Verify(*graph).ok()) << Verify(*graph).message();
  graph.reset();
  EXPECT_TRUE(Verify(*copy).ok()) << Verify(*copy).message();
}

INSTANTIATE_TEST_SUITE_P(Examples, Copies,
                         testing::Values(kRawLoopGraph, kRecursionGraph));

// Within one graph, as inlining does.
TEST(RawLoop, ACopyBesideTheOriginalIsALoopOfItsOwn) {
  std::unique_ptr<Graph> graph = Parse(kRawLoopGraph);
  std::vector<Node*> nodes(graph->root().nodes().begin(),
                           graph->root().nodes().end());
  Graph::ValueMap map;
  Graph::NodeMap copies;
  for (Node* node : nodes) {
    graph->CopyNode(*node, graph->root(), map, copies);
  }
  EXPECT_TRUE(Verify(*graph).ok()) << Verify(*graph).message();
  EXPECT_EQ(copies.at(graph->FindNode("i"))->input(1).node,
            copies.at(graph->FindNode("i_next")));
  EXPECT_EQ(graph->FindNode("i")->input(1).node, graph->FindNode("i_next"));
}

TEST(RawLoop, ARegionWithALoopCanBeErased) {
  std::unique_ptr<Graph> graph = Parse(R"(graph g(%p: bool[], %x: f32[]) {
    %y = If(%p) [dtypes = {f32}] {
      then() {
        %e = Enter(%x) [frame = "f"]
        %m = Merge(%e, %n)
        %n = NextIteration(%m)
        yield %x
      }
      else() { yield %x }
    }
  })");
  graph->Erase(*graph->FindNode("y"));
  EXPECT_EQ(graph->num_nodes(), 0);
}

TEST(RawLoop, ACycleWithoutANextIterationIsStillRefused) {
  std::unique_ptr<Graph> graph =
      Parse("graph g(%x: f32[]) { %a = Merge(%x, %x) %b = Neg(%a) }");
  graph->SetInput(*graph->FindNode("a"), 1, graph->FindNode("b")->output());
  Status status = Verify(*graph);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.message().find("cycle through nodes \"a\", \"b\""),
            std::string::npos)
      << status.message();
}

struct Bad {
  const char* text;
  const char* message;
};

class UpwardErrors : public testing::TestWithParam<Bad> {};

TEST_P(UpwardErrors, SayWhatWasWanted) {
  Result<std::unique_ptr<Graph>> graph = ParseGraph(GetParam().text);
  ASSERT_FALSE(graph.ok()) << GetParam().text;
  EXPECT_NE(graph.status().message().find(GetParam().message),
            std::string::npos)
      << graph.status().message();
}

// clang-format off
INSTANTIATE_TEST_SUITE_P(Table, UpwardErrors, testing::Values(
    Bad{"graph g(%x: f32[]) { %m = Merge(%x, %n) }", "1:37: %n is not defined"},
    Bad{"graph g(%x: f32[]) { %m = Merge(%n) %n = NextIteration(%m) }", "1:33: %n is not defined"},
    Bad{"graph g(%x: f32[]) { %m = Merge(%x, %n) %n = Neg(%m) }",
        "1:37: %n is a Neg defined below; wanted a name defined above, or a NextIteration"},
    Bad{"graph g(%x: f32[], %k: i32[]) { %m = Merge(%x, %n) %n = NextIteration(%k) }",
        "1:48: %n is i32[]; the Merge gives f32[...]"},
    Bad{"graph g(%x: f32[]) { %m = Merge(%x, %n:1) %n = NextIteration(%m) }", "%n:1"},
    Bad{"graph g(%x: f32[]) { %m = Add(%x, %n) %n = NextIteration(%m) }", "%n is not defined"},
    Bad{"graph g(%x: f32[], %p: bool[]) { %y = If(%p) [dtypes = {f32}] { then() { %m = Merge(%x, %n)"
        " yield %m } else() { yield %x } } %n = NextIteration(%y) }", "%n is not defined"},
    Bad{"graph g(%x: f32[], %p: bool[]) { %y = If(%p) [dtypes = {f32}] { then() { yield %y } else() {} } }",
        "%y is not defined"},
    // Regions that do not match their op.
    Bad{"graph g(%x: f32[], %p: bool[]) { %y = If(%p) [dtypes = {f32}] { then() { yield %x } else() {} } }",
        "[If] region \"else\" gives (); wanted (f32)\n  at (unknown line) (node \"y\")"},
    Bad{"graph g(%x: f32[], %p: bool[]) { %y = If(%p) [dtypes = {f32}] { then() { yield %p } else() { yield %x } } }",
        "[If] region \"then\" gives (bool); wanted (f32)"},
    Bad{"graph g(%x: f32[], %p: bool[]) { %y = If(%p) [dtypes = {f32}] { then(%a: f32[]) { yield %a } else() { yield %x } } }",
        "[If] region \"then\" takes (f32); wanted ()"},
    Bad{"graph g(%x: f32[]) { %y = While(%x) [dtypes = {f32}] { cond(%a: f32[]) { yield %a } body(%b: f32[]) { yield %b } } }",
        "[While] region \"cond\" gives (f32); wanted (bool)"},
    Bad{"graph g(%x: f32[], %p: bool[]) { %y = While(%x) [dtypes = {f32}] { cond(%a: f32[]) { yield %p } body(%b: f32[]) { } } }",
        "[While] region \"body\" gives (); wanted (f32)"},
    Bad{"graph g(%x: f32[], %p: bool[]) { %y = While(%x) [dtypes = {f32}] { cond() { yield %p } body(%b: f32[]) { yield %b } } }",
        "[While] region \"cond\" takes (); wanted (f32)"},
    Bad{"graph g(%x: i32[], %p: bool[]) { %y = While(%x) [dtypes = {f32}] { cond(%a: f32[]) { yield %p } body(%b: f32[]) { yield %b } } }",
        "[While] starts from (i32); wanted (f32)"},
    Bad{"graph g(%x: f32[]) { %f = Function { body(%a: f32[]) { yield %a } } %y = Call(%f) [dtypes = {f32}] }",
        "[Call] passes (); wanted (f32)"},
    Bad{"graph g(%x: f32[]) { %f = Function { body(%a: f32[]) { yield %a } } %y = Call(%f, %x) [dtypes = {i32}] }",
        "[Call] expects (i32); wanted (f32)"},
    Bad{"graph g(%f: resource[]) { %y = Call(%f) [dtypes = {f32}] }",
        "[Call] f is \"f\" of RegionArgs; wanted the output of a Function"}));
// clang-format on

TEST(RawLoop, BytesWithAMergeThatWaitsForNothingAreRefused) {
  // The same graph as bytes without the back edge, which comes last.
  std::unique_ptr<Graph> graph =
      Parse("graph g(%x: f32[]) { %m = Merge(%x, %n) %n = NextIteration(%m) }");
  std::string bytes = WriteBinary(*graph);
  ASSERT_TRUE(ReadBinary(bytes).ok());
  // ... count 1, one back, input 1 | 0 results, 0 targets | checksum.
  size_t count = bytes.size() - 8 - 5;
  ASSERT_EQ(bytes.substr(count, 5), std::string("\1\2\1\0\0", 5));
  bytes.erase(count, 3).insert(count, 1, '\0');
  Result<std::unique_ptr<Graph>> read = ReadBinary(bytes, {.check_sum = false});
  ASSERT_FALSE(read.ok());
  EXPECT_NE(read.status().message().find("waits for a NextIteration that does "
                                         "not come"),
            std::string::npos)
      << read.status().message();
}

}  // namespace
}  // namespace sluice
