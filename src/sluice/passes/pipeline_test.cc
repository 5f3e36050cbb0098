#include "sluice/passes/pipeline.h"

#include "sluice/passes/pass_test_util.h"
#include "sluice/passes/prune.h"

namespace sluice {
namespace {

Result<bool> Pipeline(Graph& graph) {
  PipelineOptions options;
  options.verify = true;
  SL_ASSIGN_OR_RETURN(PassReport report, RunPipeline(graph, options));
  for (const auto& entry : report.entries) {
    if (entry.changed) return true;
  }
  return false;
}

TEST(Pipeline, PassesFeedEachOther) {
  // 2 - 1 folds to the 1 that makes the product x; then both sides of the sum
  // are the same.
  ExpectRewrite(Pipeline,
                R"(graph g(%x: f32[4]) -> (%s) {
    %one = Sub(2.0, 1.0)
    %a = Mul(%x, %one)
    %b = Exp(%a)
    %c = Exp(%x)
    %s = Add(%b, %c)
    %unused = Neg(%s)
  })",
                R"(graph g(%x: f32[4]) -> (%s) {
    %b = Exp(%x)
    %s = Add(%b, %b)
  })");
}

TEST(Pipeline, ReportsWhatEachPassDid) {
  auto graph = ParseOrDie(R"(graph g(%x: f32[]) -> (%y) {
    %y = Exp(%x)
    %a = Exp(%x)
  })");
  Result<PassReport> report = RunPipeline(*graph);
  ASSERT_TRUE(report.ok()) << report.status().message();
  ASSERT_EQ(report->entries.size(), 10u);  // two rounds of five
  const PassReport::Entry& merge = report->entries[3];
  EXPECT_EQ(merge.pass, "common subexpressions");
  EXPECT_TRUE(merge.changed);
  EXPECT_EQ(merge.nodes_before, 2);
  EXPECT_EQ(merge.nodes_after, 1);
  EXPECT_FALSE(report->entries[8].changed);
  EXPECT_NE(
      report->ToString().find("common subexpressions: changed, 2 -> 1 nodes"),
      std::string::npos)
      << report->ToString();
}

TEST(Pipeline, PrimitivesAreRaisedUnlessTheyAreToStay) {
  const char* text = R"(graph g(%p: bool[], %x: f32[]) -> (%m) {
    %s = Switch(%x, %p)
    %a = Neg(%s:1)
    %m = Merge(%s, %a)
  })";
  auto graph = ParseOrDie(text);
  Result<PassReport> report = RunPipeline(*graph);
  ASSERT_TRUE(report.ok()) << report.status().message();
  EXPECT_EQ(report->entries[0].pass, "raise control flow");
  EXPECT_NE(report->ToString().find("1 Switch and 1 Merge became an If"),
            std::string::npos)
      << report->ToString();
  EXPECT_EQ(graph->FindNode("m")->op().name, "If");

  graph = ParseOrDie(text);
  PipelineOptions options;
  options.raise = false;
  ASSERT_TRUE(RunPipeline(*graph, options).ok());
  EXPECT_EQ(graph->FindNode("m")->op().name, "Merge");
}

TEST(Pipeline, OffMeansShapesOnly) {
  auto graph =
      ParseOrDie(R"(graph g(%x: f32[]) -> (%y) { %y = Identity(%x) })");
  PipelineOptions options;
  options.optimize = false;
  Result<PassReport> report = RunPipeline(*graph, options);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->entries.size(), 1u);
  EXPECT_EQ(graph->num_nodes(), 1);
}

// Shapes that would be too slow for any quadratic pass: long chains, one value
// with many users, many equal nodes, all of it dead or merged at once.
TEST(Pipeline, LargeGraphsTakeLinearTime) {
  constexpr int kNodes = 20000;
  Graph graph("large");
  Region& root = graph.root();
  Value x = *graph.AddArg(root, "x", {DType::kF32, Shape({4})});
  Value one = (*graph.Add(root, "Const", {}, {{"value", Array::Scalar(1.0f)}}))
                  ->output();
  auto add = [&](const char* op, std::vector<Value> inputs) {
    return (*graph.Add(root, op, inputs, {}))->output();
  };
  Value chain = x, ones = x, negations = x;
  for (int i = 0; i < kNodes; ++i) {
    chain = add("Exp", {chain});
    ones = add("Mul", {ones, one});  // one constant, many users, all dropped
    negations = add("Neg", {negations});
    add("Sqrt", {x});  // all equal, all dead
  }
  graph.SetResults(root, {chain, ones, negations});
  Result<PassReport> report = RunPipeline(graph);
  ASSERT_TRUE(report.ok()) << report.status().message();
  EXPECT_EQ(graph.num_nodes(), kNodes);
  EXPECT_EQ(graph.root().results()[1], x);
  EXPECT_EQ(graph.root().results()[2], x);
  EXPECT_TRUE(Verify(graph).ok());
}

}  // namespace
}  // namespace sluice
