// Sources used only by GPU loops compile for a GPU.
#include <gtest/gtest.h>

#include "sluice/gpu/fused_source.h"
#include "sluice/graph/graph.h"
#include "sluice/graph/text_parser.h"
#include "sluice/kernels/cuda/nvrtc.h"

namespace sluice {
namespace {

constexpr int kArchitecture = 90;

class SourcesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (Result<CompileResult> any = CompileWithNvrtc("", kArchitecture);
        !any.ok()) {
      GTEST_SKIP() << any.status().message();
    }
  }
  static void Compile(const std::string& source) {
    Result<CompileResult> compiled = CompileWithNvrtc(source, kArchitecture);
    EXPECT_TRUE(compiled.ok()) << compiled.status().message() << source;
  }
};

TEST_F(SourcesTest, Moves) {
  Compile(
      "#include \"sluice/cuda/formula.cuh\"\n"
      "#include \"sluice/cuda/moves.cuh\"\n");
}

TEST_F(SourcesTest, ListsOfALoop) {
  Compile(
      "#include \"sluice/cuda/formula.cuh\"\n"
      "#include \"sluice/cuda/loop_lists.cuh\"\n");
}

TEST_F(SourcesTest, Conditions) {
  for (const char* file : {"condition.cuh", "masked_checks.cuh"}) {
    Compile(std::string("#include \"sluice/cuda/formula.cuh\"\n"
                        "#include \"sluice/cuda/") +
            file + "\"\n");
  }
}

TEST_F(SourcesTest, AMaskedLoop) {
  Result<std::unique_ptr<Graph>> graph = ParseGraph(R"(
graph g(%x: f32[6,5], %row: f32[5]) {
  %a = Add(%x, %row) : f32[6,5]
  %s = Tanh(%a) : f32[6,5]
}
)");
  ASSERT_TRUE(graph.ok()) << graph.status().ToString();
  for (FusedAccess access : {FusedAccess::kStrided, FusedAccess::kFlat}) {
    GpuLoop loop;
    for (Node* node : (*graph)->root().nodes()) {
      if (!node->is_args()) loop.nodes.push_back(node);
    }
    loop.inputs = {{loop.nodes[0]->input(0), FusedAccess::kFlat},
                   {loop.nodes[0]->input(1), access}};
    loop.outputs = {loop.nodes[1]->output(0)};
    loop.masked = true;
    Compile(FusedSource(loop));
  }
}

}  // namespace
}  // namespace sluice
