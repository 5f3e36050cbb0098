#include "sluice/graph/text_printer.h"

#include <gtest/gtest.h>

#include "sluice/graph/example_graphs_test_util.h"
#include "sluice/graph/text_parser.h"
#include "sluice/graph/verifier.h"

namespace sluice {
namespace {

std::unique_ptr<Graph> Parse(std::string_view text) {
  Result<std::unique_ptr<Graph>> graph = ParseGraph(text);
  EXPECT_TRUE(graph.ok()) << graph.status().message();
  return graph.ok() ? std::move(*graph) : std::make_unique<Graph>("broken");
}

TEST(TextPrinter, PrintsWhatTheFormSays) {
  EXPECT_EQ(
      PrintGraph(*Parse(kSmallGraph)),
      R"(graph small(%a: f32[], %x: f32[?,4]) -> (%y, %parts:1) run %init {
  %init = TestNoOp()
  %k = Const [value = [1 2.5 -0 nan] : f32[4]] : f32[4]
  %y = Add(%x, %k) : f32[?,4] after %init on "/cpu:0" @ "model.cc":41
  %parts = Split(%y) [num = 2, axis = 1] : f32[?,2], f32[?,2]
}
)");
  EXPECT_EQ(PrintGraph(*Parse("graph g(%a: f32[2]) -> (%y) { %y = Neg(%a) @ "
                              "\"m.cc\":3 }"),
                       {.types = false, .lines = false}),
            "graph g(%a: f32[2]) -> (%y) {\n  %y = Neg(%a)\n}\n");
}

TEST(TextPrinter, RegionsAreIndented) {
  std::string text = PrintGraph(*Parse(kLoopGraph), {.types = false});
  EXPECT_NE(text.find("graph \"newton's\"(%a: f32[]) -> (%loop:1) {\n"),
            text.npos)
      << text;
  EXPECT_NE(text.find("    body(%i: i32[], %z: f32[]) run %say {\n"), text.npos)
      << text;
  EXPECT_NE(
      text.find("        else() {\n          %z1.b = Const [value = 0.5 : "
                "f32[]]\n          %z1 = Mul(%z, %z1.b)\n          yield "
                "%z1\n        }\n"),
      text.npos)
      << text;
}

// Printing, parsing and printing again gives the same text and a valid graph.
class RoundTrip : public testing::TestWithParam<std::string_view> {};

TEST_P(RoundTrip, IsExact) {
  std::unique_ptr<Graph> graph = Parse(GetParam());
  Status whole = Verify(*graph);
  EXPECT_TRUE(whole.ok()) << whole.message();
  std::string text = PrintGraph(*graph);
  std::unique_ptr<Graph> again = Parse(text);
  EXPECT_EQ(PrintGraph(*again), text);
  EXPECT_TRUE(Verify(*again).ok());
  ASSERT_EQ(again->num_nodes(), graph->num_nodes());
  for (size_t i = 0; i < graph->root().nodes().size(); ++i) {
    const Node &a = *graph->root().nodes()[i], &b = *again->root().nodes()[i];
    EXPECT_TRUE(a.attrs() == b.attrs()) << PrintNode(a);
    EXPECT_EQ(a.key(), b.key());
    EXPECT_EQ(a.scope(), b.scope());
  }
}

INSTANTIATE_TEST_SUITE_P(Examples, RoundTrip,
                         testing::Values(kSmallGraph, kLoopGraph, kAttrsGraph,
                                         kRawLoopGraph, kRecursionGraph));

TEST(TextPrinter, FloatsOfEveryWidthReadBackExactly) {
  Graph graph("floats");
  std::vector<float> singles;
  std::vector<double> doubles;
  std::vector<f16> halves;
  std::vector<bf16> brains;
  uint64_t bits = 1;
  for (int i = 0; i < 2000; ++i) {
    bits = bits * 6364136223846793005u + 1442695040888963407u;
    float single = std::bit_cast<float>(static_cast<uint32_t>(bits >> 32));
    double wide = std::bit_cast<double>(bits);
    f16 half;
    half.bits = static_cast<uint16_t>(bits >> 48);
    bf16 brain;
    brain.bits = static_cast<uint16_t>(bits >> 40);
    singles.push_back(single);
    doubles.push_back(wide);
    halves.push_back(half);
    brains.push_back(brain);
  }
  auto add = [&]<class T>(const std::vector<T>& values) {
    Array array = Array::Of<T>({2000}, values);
    ASSERT_TRUE(graph.Add(graph.root(), "Const", {}, {{"value", array}}).ok());
  };
  add(singles);
  add(doubles);
  add(halves);
  add(brains);
  std::unique_ptr<Graph> again = Parse(PrintGraph(graph));
  ASSERT_EQ(again->num_nodes(), 4);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_TRUE(graph.root().nodes()[i]->attrs() ==
                again->root().nodes()[i]->attrs());
  }
}

TEST(TextPrinter, ArgumentsKeepNamesThatClash) {
  // A node with the name of an argument, and a region's argument with the name
  // of an outer one.
  Graph graph("clash");
  Value x = *graph.AddArg(graph.root(), "x", {DType::kF32, Shape()});
  NodeOptions named;
  named.name = "x";
  Node* neg = *graph.Add(graph.root(), "Neg", std::vector<Value>{x}, {}, named);
  Node* loop = *graph.Add(graph.root(), "TestWhile", std::vector<Value>{x},
                          {{"dtypes", std::vector<DType>{DType::kF32}}});
  for (const char* label : {"cond", "body"}) {
    Region* region = *graph.AddRegion(*loop, label);
    Value inner = *graph.AddArg(*region, "x", {DType::kF32, Shape()});
    Node* sum = *graph.Add(*region, "Add", std::vector<Value>{inner, x}, {});
    graph.SetResults(*region, {sum->output()});
  }
  graph.SetResults(graph.root(), {neg->output(), x});
  std::string text = PrintGraph(graph);
  std::unique_ptr<Graph> again = Parse(text);
  EXPECT_EQ(PrintGraph(*again), text);
  EXPECT_EQ(again->root().arg_name(0), "x");
  EXPECT_EQ(again->root().results()[1], again->root().arg(0));
  const Node* sum = again->FindNode("Add");
  ASSERT_NE(sum, nullptr);
  EXPECT_EQ(sum->input(0).node->region(), sum->region());
  EXPECT_EQ(sum->input(1), again->root().arg(0));
  EXPECT_EQ(sum->input(0).ToString(), "x");
}

TEST(TextPrinter, KeyAndScopeAreKeptWhenTheNameDoesNotImplyThem) {
  Graph graph("g");
  NodeOptions options;
  options.scope = "encoder/layer1";
  options.name = "draw";
  options.key = 0xabcdef0123456789u;
  Node* draw = *graph.Add(graph.root(), "TestDraw", {}, {}, options);
  EXPECT_EQ(PrintNode(*draw),
            "%encoder/layer1/draw = TestDraw() : f32[] key 0xabcdef0123456789");
  NodeOptions slashed;
  slashed.name = "a/b";
  Node* other = *graph.Add(graph.root(), "TestDraw", {}, {}, slashed);
  EXPECT_EQ(PrintNode(*other), "%a/b = TestDraw() : f32[] in \"\"");
  std::unique_ptr<Graph> again = Parse(PrintGraph(graph));
  EXPECT_EQ(again->FindNode("encoder/layer1/draw")->key(), 0xabcdef0123456789u);
  EXPECT_EQ(again->FindNode("encoder/layer1/draw")->scope(), "encoder/layer1");
  EXPECT_EQ(again->FindNode("a/b")->scope(), "");
}

}  // namespace
}  // namespace sluice
