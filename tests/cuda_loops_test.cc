// Loops on a GPU by themselves, without a session that would run them again
// where something is found wrong. On the emulated GPU under CTest, which sets
// SLUICE_CUDA_EMULATION, and on a real one without it.
#if defined(SLUICE_CUDA)
#include <gtest/gtest.h>

#include "sluice/device/cuda/launch_scope.h"
#include "sluice/device/devices.h"
#include "sluice/graph/text_parser.h"
#include "sluice/launch/copy_between.h"
#include "sluice/plan/gpu_pieces.h"

namespace sluice {
namespace {

// Adds rows of a table up, as long as their numbers are below a limit.
constexpr std::string_view kRows = R"(
graph g(%table: f32[5,2], %x: f32[1,2], %i: i64[1], %limit: i64[]) {
  %w = While(%x, %i) [dtypes = {f32, i64}] : f32[1,2], i64[1] {
    cond(%v: f32[1,2], %k: i64[1]) {
      %s = Sum(%k) : i64[] on "/device:gpu:0"
      %c = Less(%s, %limit) : bool[] on "/device:gpu:0"
      yield %c
    }
    body(%v: f32[1,2], %k: i64[1]) {
      %one = Const [value = 1 : i64[]] : i64[]
      %row = Gather(%table, %k) : f32[1,2] on "/device:gpu:0"
      %y = Add(%v, %row) : f32[1,2] on "/device:gpu:0"
      %next = Add(%k, %one) : i64[1] on "/device:gpu:0"
      yield %y, %next
    }
  }
}
)";

class CudaLoops : public ::testing::Test {
 protected:
  void SetUp() override {
    Result<Device*> found = Devices::Find("gpu:0");
    if (!found.ok()) GTEST_SKIP() << found.status().message();
    gpu_ = *found;
    Result<std::unique_ptr<Graph>> graph = ParseGraph(kRows);
    ASSERT_TRUE(graph.ok()) << graph.status().ToString();
    graph_ = std::move(*graph);
    for (const Node* node : graph_->root().nodes()) {
      if (node->op().flow == Flow::kLoop) loop_ = node;
    }
    ASSERT_TRUE(loop_);
    auto on_host = [](const Value&) { return false; };
    std::string device;
    ASSERT_EQ(WhyNotGpuLoop(*loop_, on_host, &device), "");
    auto piece = BuildGpuLoop(*gpu_, *loop_, on_host, {false, false}, true);
    ASSERT_TRUE(piece.ok()) << piece.status().ToString();
    piece_ = std::move(*piece);
  }

  Array There(const Array& array) {
    Result<Array> there = CopyTo(array, *gpu_);
    EXPECT_TRUE(there.ok());
    return *there;
  }

  // What is found wrong in a run; its sums.
  std::vector<std::string> Run(std::vector<float>* sums) {
    std::vector<Array> in, out(2);
    for (const Value& v : piece_->inputs()) {
      if (v.node != graph_->root().args_node()) ADD_FAILURE() << v.ToString();
      in.push_back(given_[static_cast<size_t>(v.index)]);
    }
    std::vector<std::string> wrong;
    CudaLaunchScope::LateFn late = [&](const Status& status) {
      wrong.emplace_back(status.message());
    };
    {
      CudaLaunchScope scope(late);
      Status ran = piece_->Run(StepContext(), in, out);
      EXPECT_TRUE(ran.ok()) << ran.ToString();
      EXPECT_TRUE(gpu_->stream().Synchronize().ok());
    }
    Result<Array> here = CopyTo(out[0], CpuDevice());
    EXPECT_TRUE(here.ok());
    if (here.ok()) *sums = {here->data<float>()[0], here->data<float>()[1]};
    return wrong;
  }

  void Give(int64_t limit) {
    given_ = {There(Array::Of<float>({5, 2}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9})),
              There(Array::Of<float>({1, 2}, {0, 0})),
              There(Array::Of<int64_t>({1}, {0})),
              There(Array::Scalar<int64_t>(limit))};
  }

  Device* gpu_ = nullptr;
  std::unique_ptr<Graph> graph_;
  const Node* loop_ = nullptr;
  std::unique_ptr<CompiledPiece> piece_;
  std::vector<Array> given_;
};

TEST_F(CudaLoops, RoundsBehindTheLastFindNothingWrong) {
  Give(5);
  std::vector<float> sums;
  for (int run = 0; run < 4; ++run) {
    EXPECT_EQ(Run(&sums), std::vector<std::string>());
    EXPECT_EQ(sums, (std::vector<float>{20, 25}));
  }
  std::string plan = piece_->Explain();
  EXPECT_NE(plan.find("rounds at a time"), std::string::npos) << plan;
  EXPECT_EQ(plan.find("; 0 recordings"), std::string::npos) << plan;
}

TEST_F(CudaLoops, TheRoundWithAWrongIndexTellsIt) {
  Give(6);
  std::vector<float> sums;
  for (int run = 0; run < 4; ++run) {
    std::vector<std::string> wrong = Run(&sums);
    ASSERT_EQ(wrong.size(), 1u);
    EXPECT_NE(wrong[0].find("is 5; wanted 0 <= index < 5"), std::string::npos)
        << wrong[0];
  }
}

}  // namespace
}  // namespace sluice
#endif
