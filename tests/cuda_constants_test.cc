// Constants of a piece for a GPU are brought there by a stream of their own:
// its launches come behind that. On the emulated GPU under CTest, which sets
// SLUICE_CUDA_EMULATION, and on a real one without it.
#if defined(SLUICE_CUDA)
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <thread>

#include "sluice/device/cuda/cuda_device.h"
#include "sluice/device/devices.h"
#include "sluice/graph/text_parser.h"
#include "sluice/launch/copy_between.h"
#include "sluice/plan/gpu_pieces.h"

namespace sluice {
namespace {

TEST(CudaConstants, LaunchesWaitForThem) {
  Result<Device*> found = Devices::Find("gpu:0");
  if (!found.ok()) GTEST_SKIP() << found.status().message();
  Device& gpu = **found;
  Result<std::unique_ptr<Graph>> graph = ParseGraph(R"(
graph g(%x: f32[3]) {
  %c = Const [value = [1, 2, 3] : f32[3]] : f32[3]
  %y = Add(%x, %c) : f32[3]
}
)");
  ASSERT_TRUE(graph.ok()) << graph.status().ToString();
  std::vector<Node*> nodes;
  for (Node* node : (*graph)->root().nodes()) {
    if (!node->is_args() && !ConstantValue(node->output(0))) {
      nodes.push_back(node);
    }
  }
  ASSERT_EQ(nodes.size(), 1u);
  Result<Array> x = CopyTo(Array::Of<float>({3}, {10, 20, 30}), gpu);
  ASSERT_TRUE(x.ok());
  ASSERT_TRUE(gpu.stream(StreamUse::kFromHost).Synchronize().ok());

  // The stream that brings them is kept busy until the launches are issued.
  std::promise<void> issued;
  std::future<void> go = issued.get_future();
  auto& copies = static_cast<CudaStream&>(gpu.stream(StreamUse::kFromHost));
  static_cast<CudaDevice&>(gpu).Enter();
  ASSERT_EQ(
      CudaDriver::Get().cuLaunchHostFunc(
          copies.handle(),
          [](void* go) { static_cast<std::future<void>*>(go)->wait(); }, &go),
      CUDA_SUCCESS);
  auto piece = BuildGpuPiece(gpu, nodes, {nodes[0]->output(0)}, true);
  std::vector<Array> in = {*x}, out(1);
  Status ran =
      piece.ok() ? (*piece)->Run(StepContext(), in, out) : piece.status();
  // Time for a launch that does not wait to read what is not there.
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  issued.set_value();
  ASSERT_TRUE(ran.ok()) << ran.ToString();
  Result<Array> here = CopyTo(out[0], CpuDevice());
  ASSERT_TRUE(here.ok()) << here.status().ToString();
  EXPECT_EQ(here->data<float>()[0], 11);
  EXPECT_EQ(here->data<float>()[1], 22);
  EXPECT_EQ(here->data<float>()[2], 33);
}

}  // namespace
}  // namespace sluice
#endif
