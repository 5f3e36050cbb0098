// Lists of loops on a GPU: written by index beyond the room there is, read at
// an index that is not there. On the emulated GPU under CTest, which sets
// SLUICE_CUDA_EMULATION, and on a real one without it.
#if defined(SLUICE_CUDA)
#include <gtest/gtest.h>

#include "sluice/device/devices.h"
#include "sluice/graph/text_parser.h"
#include "sluice/launch/copy_between.h"
#include "sluice/plan/gpu_pieces.h"
#include "sluice/tensor/list.h"

namespace sluice {
namespace {

class CudaLoopLists : public ::testing::Test {
 protected:
  void SetUp() override {
    Result<Device*> found = Devices::Find("gpu:0");
    if (!found.ok()) GTEST_SKIP() << found.status().message();
    gpu_ = *found;
  }

  void Build(std::string_view text) {
    Result<std::unique_ptr<Graph>> graph = ParseGraph(text);
    ASSERT_TRUE(graph.ok()) << graph.status().ToString();
    graph_ = std::move(*graph);
    const Node* loop = nullptr;
    for (const Node* node : graph_->root().nodes()) {
      if (node->op().flow == Flow::kLoop) loop = node;
    }
    ASSERT_TRUE(loop);
    auto on_host = [](const Value&) { return false; };
    std::string device;
    ASSERT_EQ(WhyNotGpuLoop(*loop, on_host, &device), "");
    std::vector<bool> outputs(static_cast<size_t>(loop->num_outputs()), false);
    auto piece = BuildGpuLoop(*gpu_, *loop, on_host, outputs, true);
    ASSERT_TRUE(piece.ok()) << piece.status().ToString();
    piece_ = std::move(*piece);
    num_outputs_ = outputs.size();
  }

  Array There(const Array& array) { return *CopyTo(array, *gpu_); }
  Array Here(const Array& array) { return *CopyTo(array, CpuDevice()); }

  // `given`: the graph's arguments.
  Status Run(const std::vector<Array>& given, std::vector<Array>* out) {
    std::vector<Array> in;
    for (const Value& v : piece_->inputs()) {
      in.push_back(given[static_cast<size_t>(v.index)]);
    }
    out->assign(num_outputs_, Array());
    return piece_->Run(StepContext(), in, *out);
  }

  Device* gpu_ = nullptr;
  std::unique_ptr<Graph> graph_;
  std::unique_ptr<CompiledPiece> piece_;
  size_t num_outputs_ = 0;
};

TEST_F(CudaLoopLists, WrittenBeyondTheRoomThereIs) {
  Build(R"(
graph g(%list: list[], %x: f32[2], %first: i64[], %limit: i64[]) {
  %w = While(%first, %list, %x) [dtypes = {i64, list, f32}] : i64[], list[], f32[2] {
    cond(%i: i64[], %l: list[], %v: f32[2]) {
      %c = Less(%i, %limit) : bool[] on "/device:gpu:0"
      yield %c
    }
    body(%i: i64[], %l: list[], %v: f32[2]) {
      %two = Const [value = 2 : i64[]] : i64[]
      %step = Const [value = 1 : f32[]] : f32[]
      %y = Add(%v, %step) : f32[2] on "/device:gpu:0"
      %l2 = ListSet(%l, %i, %y) : list[]
      %n = Add(%i, %two) : i64[] on "/device:gpu:0"
      yield %n, %l2, %y
    }
  }
}
)");
  Array x = There(Array::Of<float>({2}, {0, 10}));
  Array first = There(Array::Scalar<int64_t>(1));
  // One element, which nobody writes; places between are left out.
  auto begin = MakeRef<ListValue>(DType::kF32, PartialShape());
  ASSERT_TRUE(begin->Append(x).ok());
  Array list = ListArray(std::move(begin));
  for (int64_t trips : {3, 100, 20, 400}) {
    Array limit = There(Array::Scalar<int64_t>(2 * trips));
    for (int run = 0; run < 3; ++run) {
      std::vector<Array> out;
      Status ran = Run({list, x, first, limit}, &out);
      ASSERT_TRUE(ran.ok()) << ran.ToString();
      const ListValue& made = *ListOf(out[1]);
      ASSERT_EQ(made.size(), 2 * trips);
      EXPECT_EQ(Here(made.at(0)).data<float>()[1], 10);
      EXPECT_FALSE(made.at(2));
      for (int64_t i : {int64_t{0}, trips / 2, trips - 1}) {
        Array element = Here(made.at(2 * i + 1));
        EXPECT_EQ(element.data<float>()[0], static_cast<float>(i + 1));
        EXPECT_EQ(element.data<float>()[1], static_cast<float>(i + 11));
      }
    }
  }
  EXPECT_EQ(ListOf(list)->size(), 1);
}

TEST_F(CudaLoopLists, AnIndexThatIsNotThereIsAnError) {
  Build(R"(
graph g(%list: list[], %x: f32[2], %first: i64[], %limit: i64[]) {
  %w = While(%first, %x) [dtypes = {i64, f32}] : i64[], f32[2] {
    cond(%i: i64[], %v: f32[2]) {
      %c = Less(%i, %limit) : bool[] on "/device:gpu:0"
      yield %c
    }
    body(%i: i64[], %v: f32[2]) {
      %one = Const [value = 1 : i64[]] : i64[]
      %e = ListGet(%list, %i) [dtype = f32, shape = [2]] : f32[2]
      %y = Add(%v, %e) : f32[2] on "/device:gpu:0"
      %n = Add(%i, %one) : i64[] on "/device:gpu:0"
      yield %n, %y
    }
  }
}
)");
  Array x = There(Array::Of<float>({2}, {1, 10}));
  Array first = There(Array::Scalar<int64_t>(0));
  auto three = MakeRef<ListValue>(DType::kF32, PartialShape());
  ASSERT_TRUE(three->Append(x).ok());
  ASSERT_TRUE(three->Resize(2).ok());  // zeros
  ASSERT_TRUE(three->Append(x).ok());
  Array list = ListArray(std::move(three));
  for (int64_t limit : {3, 4, 3}) {
    Array until = There(Array::Scalar<int64_t>(limit));
    for (int run = 0; run < 3; ++run) {
      std::vector<Array> out;
      Status ran = Run({list, x, first, until}, &out);
      if (limit == 3) {
        ASSERT_TRUE(ran.ok()) << ran.ToString();
        EXPECT_EQ(Here(out[1]).data<float>()[1], 30);
      } else {
        EXPECT_NE(ran.ToString().find("index is 3; wanted 0 <= index < 3"),
                  std::string::npos)
            << ran.ToString();
      }
    }
  }
}

}  // namespace
}  // namespace sluice
#endif
