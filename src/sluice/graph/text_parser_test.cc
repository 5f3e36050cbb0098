#include "sluice/graph/text_parser.h"

#include <gtest/gtest.h>

#include "sluice/graph/text_printer.h"
#include "sluice/graph/verifier.h"

namespace sluice {
namespace {

std::unique_ptr<Graph> Parse(std::string_view text) {
  Result<std::unique_ptr<Graph>> graph = ParseGraph(text);
  EXPECT_TRUE(graph.ok()) << graph.status().message();
  return graph.ok() ? std::move(*graph) : std::make_unique<Graph>("broken");
}

const Array& Constant(const Graph& graph, std::string_view name) {
  static const Array kNone = Array::Scalar<float>(-12345);
  Node* node = graph.FindNode(name);
  EXPECT_NE(node, nullptr) << name;
  return node ? node->attrs().get<Array>("value") : kNone;
}

TEST(TextParser, LiteralsTakeTheTypeTheirOpWants) {
  auto graph = Parse(R"(graph g(%x: f64[], %n: i64[]) {
    %a = Add(%x, 1)      # of the other operand
    %b = Mul(2, %n)
    %c = Add(1, 2)       // i32 when nobody says
    %d = Add(1, 0.5)     // f32, both of them
    %e = Exp(1)          // f32, for Exp takes no integers
    %f = LogicalNot(true)
    %w = Sub(%x, -inf)
  })");
  EXPECT_EQ(Constant(*graph, "a.b").TypeText(), "f64[]");
  EXPECT_EQ(Constant(*graph, "b.a").TypeText(), "i64[]");
  EXPECT_EQ(Constant(*graph, "c.a").TypeText(), "i32[]");
  EXPECT_EQ(Constant(*graph, "d.a").TypeText(), "f32[]");
  EXPECT_EQ(Constant(*graph, "d.b").ToString(), "0.5");
  EXPECT_EQ(Constant(*graph, "e.x").TypeText(), "f32[]");
  EXPECT_EQ(Constant(*graph, "f.x").ToString(), "true");
  EXPECT_EQ(Constant(*graph, "w.b").ToString(), "-inf");
  EXPECT_TRUE(Verify(*graph).ok());
}

TEST(TextParser, ArraysWithoutATypeGetANaturalOne) {
  auto graph = Parse(R"(graph g() {
    %a = Const [value = 3]
    %b = Const [value = [1 2 3]]
    %c = Const [value = [1, 2.5]]
    %d = Const [value = ["a" "b"]]
    %e = Const [value = (1,2)]
  })");
  EXPECT_EQ(Constant(*graph, "a").TypeText(), "i32[]");
  EXPECT_EQ(Constant(*graph, "b").TypeText(), "i32[3]");
  EXPECT_EQ(Constant(*graph, "c").TypeText(), "f32[2]");
  EXPECT_EQ(Constant(*graph, "d").TypeText(), "string[2]");
  EXPECT_EQ(Constant(*graph, "e").TypeText(), "complex64[]");
}

TEST(TextParser, OutputsHaveIndicesAndSecondNames) {
  auto graph = Parse(R"(graph g(%x: f32[6]) -> (%b, %a:2, %a: f32[2]) {
    %a, %b = Split(%x) [num = 3]
  })");
  Node* split = graph->FindNode("a");
  ASSERT_NE(split, nullptr);
  EXPECT_EQ(graph->root().results()[0], split->output(1));
  EXPECT_EQ(graph->root().results()[1], split->output(2));
  EXPECT_EQ(graph->root().results()[2], split->output(0));
}

TEST(TextParser, StatedTypesSayMoreThanInference) {
  auto graph = Parse(R"(graph g(%x: f32[?,4], %t: f32[...]) {
    %y = Neg(%x) : f32[8,?]
    %z = Neg(%t) : f32[s1,2]
    %s = Add(%y, %y)
  })");
  EXPECT_EQ(graph->FindNode("y")->output_type(0).ToString(), "f32[8,4]");
  EXPECT_EQ(graph->FindNode("z")->output_type(0).ToString(), "f32[s1,2]");
  EXPECT_EQ(graph->FindNode("s")->output_type(0).ToString(), "f32[8,4]");
}

TEST(TextParser, LinesDevicesAndControlsArrive) {
  auto graph = Parse(R"(graph g(%x: f32[]) {
    %i = TestNoOp()
    %y = Neg(%x) after %i, %i on "/job:ps" @ "dir/model.cc":41
  })");
  Node* y = graph->FindNode("y");
  ASSERT_EQ(y->controls().size(), 1u);
  EXPECT_EQ(y->controls()[0]->name(), "i");
  EXPECT_EQ(y->device(), "/job:ps");
  EXPECT_EQ(y->line().ToString(), "model.cc:41");
}

struct Bad {
  const char* text;
  const char* message;
};

class TextErrors : public testing::TestWithParam<Bad> {};

TEST_P(TextErrors, SayWhereAndWhatWasWanted) {
  Result<std::unique_ptr<Graph>> graph = ParseGraph(GetParam().text);
  ASSERT_FALSE(graph.ok()) << GetParam().text;
  EXPECT_NE(graph.status().message().find(GetParam().message),
            std::string::npos)
      << graph.status().message();
}

// clang-format off
INSTANTIATE_TEST_SUITE_P(Table, TextErrors, testing::Values(
    Bad{"", "graph text:1:1: got the end of the text; wanted 'graph'"},
    Bad{"graph g() {", "graph text:1:12: got the end of the text; wanted a node or '}'"},
    Bad{"graph g() {}\n x", "graph text:2:2: got 'x'; wanted the end"},
    Bad{"graph g(%x: f33[]) {}", "1:13: got 'f33'; wanted an element type"},
    Bad{"graph g(%x: f32[-1]) {}", "1:17: a size is -1; wanted >= 0"},
    Bad{"graph g(%x: f32[a]) {}", "got 'a'; wanted a size, '?' or a symbol like s0"},
    Bad{"graph g(%x: f32[1,1,1,1,1,1,1,1,1]) {}", "rank 9 is too large"},
    Bad{"graph g(%x: f32[281474976710656,2]) {}", "too many elements"},
    Bad{"graph g(%x: f32[99999999999999999999]) {}", "wanted a size"},
    Bad{"graph g(%x: f32[], %x: f32[]) {}", "%x is defined already"},
    Bad{"graph g() -> (%y) {}", "1:15: %y is not defined; wanted a name defined above"},
    Bad{"graph g() run %y {}", "1:15: %y is not defined"},
    Bad{"graph g(%x: f32[]) run %x {}", "%x is a value; wanted a node's name"},
    Bad{"graph g(%x: f32[]) -> (%y: i32[]) { %y = Neg(%x) }",
        "the type is stated as i32[]; inference says f32[]"},
    Bad{"graph g(%x: f32[]) {\n  %y = Neg(%z)\n}", "graph text:2:12: %z is not defined"},
    Bad{"graph g(%x: f32[]) { %y = Neg(%y) }", "%y is not defined"},
    Bad{"graph g(%x: f32[]) { %y = Nge(%x) }", "graph text:1:27: "},
    Bad{"graph g(%x: f32[]) { %y = Neg(%x) %y = Neg(%x) }", "1:35: %y is defined already"},
    Bad{"graph g(%x: f32[]) { %y = Neg(%x, %x) }", "[Neg] takes 1 input, got 2"},
    Bad{"graph g(%x: f32[2], %y: f32[3]) { %z = Add(%x, %y) }",
        "graph text:1:40: [Add]"},
    Bad{"graph g(%x: f32[]) { %y = Neg(%x:1) }", "the name is of one value"},
    Bad{"graph g(%x: f32[2]) { %y = Split(%x) [num = 2] %z = Neg(%y:2) }",
        "%y:2: [Split] has 2 outputs"},
    Bad{"graph g(%x: f32[2]) { %a, %b, %c = Split(%x) [num = 2] }",
        "1:31: [Split] has 2 outputs, got 3 names"},
    Bad{"graph g(%x: f32[2]) { %a:1 = Neg(%x) }", "%a:1 names an output"},
    Bad{"graph g(%x: f32[2]) { %y = Neg(%x) : f32[3] }",
        "1:38: the type is stated as f32[3]; inference says f32[2]"},
    Bad{"graph g(%x: f32[2]) { %y = Neg(%x) : i32[2] }", "inference says f32[2]"},
    Bad{"graph g(%x: f32[2]) { %y = Neg(%x) : f32[2], f32[2] }", "got 2 types"},
    Bad{"graph g(%x: f32[2]) { %y = Split(%x) [nmu = 2] }", "[Split] has no attribute nmu"},
    Bad{"graph g(%x: f32[2]) { %y = Split(%x) [num = 2, num = 2] }", "got attribute num twice"},
    Bad{"graph g(%x: f32[2]) { %y = Split(%x) }", "[Split] attribute num is missing"},
    Bad{"graph g(%x: f32[2]) { %y = Split(%x) [num = 0.5] }", "got '0.5'; wanted an integer"},
    Bad{"graph g(%x: f32[2]) { %y = Split(%x) [num = 9999999999999999999] }", "wanted an integer"},
    Bad{"graph g() { %c = Const [value = [1 2] : f32[3]] }",
        "got 2 elements for f32[3]; wanted 3"},
    Bad{"graph g() { %c = Const [value = [1 2.5] : i32[2]] }", "'2.5' is no i32"},
    Bad{"graph g() { %c = Const [value = 256 : u8[]] }", "'256' is no u8"},
    Bad{"graph g() { %c = Const [value = 1e39 : f32[]] }", "'1e39' is no f32"},
    Bad{"graph g() { %c = Const [value = 1 : f32[?]] }", "wanted all sizes known"},
    Bad{"graph g() { %c = Const [value = 1 : resource[]] }", "cannot be written as text"},
    Bad{"graph g() { %c = Const [value = []] }", "wanted ':' and the type"},
    Bad{"graph g() { %c = Const [value = [1 %x] : f32[2]] }", "wanted an element of an array"},
    Bad{"graph g() { %c = Const [value = \"a] }", "a string is not closed"},
    Bad{"graph g() { %c = Const [value = \"\\q\"] }", "unknown escape"},
    Bad{"graph g() { %c = TestNoOp() after %c }", "%c is not defined"},
    Bad{"graph g() { %c = TestNoOp() on cpu }", "got 'cpu'; wanted a device in quotes"},
    Bad{"graph g() { %c = TestNoOp() @ \"f\":0 }", "wanted a line number"},
    Bad{"graph g() { %c = TestNoOp() key 12 }", "wanted a key like 0x1f"},
    Bad{"graph g() { %c = TestNoOp() in \"s\" }", "does not begin the node's name"},
    Bad{"graph g() { %\"\" = TestNoOp() }", "a node's name is empty"},
    Bad{"graph g() { %c = TestNoOp() ; }", "unexpected byte ';'"},
    Bad{"graph g() { %c = TestWhile() [dtypes = {}] }",
        "[TestWhile] got 0 regions; wanted 2 (cond, body)"},
    Bad{"graph g() { %c = TestWhile() [dtypes = {}] { body() {} } }", "wanted \"cond\""},
    Bad{"graph g() { %c = TestNoOp() { cond() {} } }", "takes 0 regions"},
    Bad{"graph g() { %c = TestWhile() [dtypes = {f32}] { cond() { yield %c } body() {} } }",
        "%c is not defined"},
    Bad{"graph g() { %c = TestWhile() [dtypes = {f32}] { cond() { %d = TestDraw() } "
        "body() { yield %d } } }", "%d is not defined"}));
// clang-format on

TEST(TextParser, NestingIsBounded) {
  auto nested = [](int depth) {
    std::string open, close;
    for (int i = 0; i < depth; ++i) {
      open += "%n" + std::to_string(i) +
              " = TestIf(true) [dtype = f32] { then() {} else() { ";
      close += "} }";
    }
    return "graph deep() { " + open + close + " }";
  };
  EXPECT_TRUE(ParseGraph(nested(kMaxTextNesting)).ok());
  Result<std::unique_ptr<Graph>> deep = ParseGraph(nested(kMaxTextNesting + 1));
  ASSERT_FALSE(deep.ok());
  EXPECT_NE(deep.status().message().find("nested deeper than 256"),
            std::string::npos);
  // Far beyond any stack if the parser recursed.
  EXPECT_FALSE(ParseGraph(nested(100000)).ok());
}

TEST(TextParser, OutputsStayInProportionToTheText) {
  std::string text = "graph g(%x: f32[0]) {\n";
  for (int i = 0; i < 100; ++i) {
    text += "%s" + std::to_string(i) + " = Split(%x) [num = 65536]\n";
  }
  Result<std::unique_ptr<Graph>> graph = ParseGraph(text + "}");
  ASSERT_FALSE(graph.ok());
  EXPECT_NE(graph.status().message().find("too many outputs"),
            std::string::npos);
}

}  // namespace
}  // namespace sluice
