#include "sluice/kernels/cuda/emulated_compiler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "sluice/device/cuda/emulated/driver_table.h"
#include "sluice/kernels/cuda/nvrtc.h"

namespace sluice {
namespace {

TEST(EmulatedSource, HeadersStandWhereTheyAreFirstIncluded) {
  const EmbeddedText headers[] = {
      {"sluice/cuda/emulation.cuh", "#pragma once\nbegin\n"},
      {"a.h", "#pragma once\n#include <b>\na\n"},
      {"b", "b\n"}};
  std::string text = EmulatedSource(
      "#include \"a.h\"\n#include <b>\n#include <vector>\nkernel\n", headers);
  std::string lines;
  while (!text.empty()) {
    size_t end = text.find('\n') + 1;
    std::string line = text.substr(0, end);
    if (line != "\n" && !line.starts_with("#line")) lines += line;
    text.erase(0, end);
  }
  EXPECT_EQ(lines, "begin\nb\na\nkernel\n");
}

TEST(EmulatedSource, DynamicSharedMemoryIsAPointer) {
  EXPECT_NE(EmulatedSource("extern __shared__ __align__(16) float x[];\n", {})
                .find("float* const x = reinterpret_cast<"),
            std::string::npos);
}

// Kernels of one source on a driver of the test's own. All take the same
// arguments.
class EmulatedGpu : public testing::Test {
 protected:
  struct Args {
    CUdeviceptr x, y;
    int64_t n;
  };
  static constexpr size_t kBytes = size_t{2} << 20;

  void SetUp() override {
    if (Result<std::string> version = EmulatedCompilerVersion();
        !version.ok()) {
      GTEST_SKIP() << version.status().message();
    }
    emulated::FillDriver(driver_);
    ASSERT_EQ(driver_.cuStreamCreate(&stream_, 0), CUDA_SUCCESS);
    CUmemGenericAllocationHandle memory = 0;
    CUmemAccessDesc access = {};
    ASSERT_EQ(driver_.cuMemAddressReserve(&x_, 2 * kBytes, kBytes, 0, 0),
              CUDA_SUCCESS);
    ASSERT_EQ(driver_.cuMemCreate(&memory, kBytes, nullptr, 0), CUDA_SUCCESS);
    ASSERT_EQ(driver_.cuMemMap(x_, kBytes, 0, memory, 0), CUDA_SUCCESS);
    ASSERT_EQ(driver_.cuMemSetAccess(x_, kBytes, &access, 1), CUDA_SUCCESS);
    y_ = x_ + kBytes / 2;
  }
  void TearDown() override { emulated::TakeFailure(); }

  void Compile(const std::string& body) {
    std::string source =
        "#include \"sluice/cuda/elementwise.cuh\"\nnamespace sluice {\n"
        "struct Args { float* x; float* y; int64_t n; };\n" +
        body + "}\n";
    Result<std::string> image = CompileEmulated(source, KernelHeaders());
    ASSERT_TRUE(image.ok()) << image.status().message();
    ASSERT_EQ(driver_.cuModuleLoadData(&module_, image->data()), CUDA_SUCCESS);
  }
  CUresult Launch(const char* name, unsigned blocks, unsigned threads,
                  unsigned shared = 0, int64_t n = 0) {
    CUfunction function = nullptr;
    EXPECT_EQ(driver_.cuModuleGetFunction(&function, module_, name),
              CUDA_SUCCESS);
    Args args{x_, y_, n};
    void* params[] = {&args};
    return driver_.cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, shared,
                                  stream_, params, nullptr);
  }
  void Put(const std::vector<float>& x) {
    driver_.cuMemcpyHtoDAsync(x_, x.data(), x.size() * 4, stream_);
  }
  std::vector<float> Get(size_t n) {
    std::vector<float> y(n);
    driver_.cuMemcpyDtoHAsync(y.data(), y_, n * 4, stream_);
    return y;
  }
  // Run-time failures.
  std::string FailureOf(const char* name, unsigned blocks, unsigned threads,
                        unsigned shared = 0, int64_t n = 0) {
    EXPECT_EQ(Launch(name, blocks, threads, shared, n), CUDA_SUCCESS);
    CUresult result = driver_.cuStreamSynchronize(stream_);
    const char* text = nullptr;
    if (result != CUDA_SUCCESS) driver_.cuGetErrorString(result, &text);
    std::string told = text ? text : "";
    emulated::TakeFailure();
    return told;
  }

  CudaDriver driver_;
  CUstream stream_ = nullptr;
  CUmodule module_ = nullptr;
  CUdeviceptr x_ = 0, y_ = 0;
};

constexpr const char* kSum = R"(
template <class T>
T BlockSum(T v) {
  __shared__ T part[32];
  for (int k = 16; k > 0; k /= 2) v += __shfl_xor_sync(~0u, v, k);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  T all = 0;
  for (unsigned i = 0; i < blockDim.x / 32; ++i) all += part[i];
  __syncthreads();
  return all;
}
SL_GLOBAL(sum, Args, a) {
  float s = 0;
  for (int64_t i = FirstThread(); i < a.n; i += AllThreads()) s += a.x[i];
  s = BlockSum(s);
  if (threadIdx.x == 0) a.y[blockIdx.x] = s;
}
SL_GLOBAL(reversed, Args, a) {
  extern __shared__ float kept[];
  kept[threadIdx.x] = a.x[threadIdx.x];
  __syncthreads();
  a.y[threadIdx.x] = kept[blockDim.x - 1 - threadIdx.x];
}
)";

TEST_F(EmulatedGpu, BlocksShareMemoryAndMeetAtBarriers) {
  Compile(kSum);
  std::vector<float> x(100'000);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 17);
  Put(x);
  ASSERT_EQ(Launch("sum", 8, 256, 0, 100'000), CUDA_SUCCESS);
  std::vector<float> y = Get(8);
  EXPECT_EQ(std::accumulate(y.begin(), y.end(), 0.0),
            std::accumulate(x.begin(), x.end(), 0.0));

  ASSERT_EQ(Launch("reversed", 1, 96, 96 * 4), CUDA_SUCCESS);
  y = Get(96);
  for (size_t i = 0; i < 96; ++i) EXPECT_EQ(y[i], x[95 - i]);
}

TEST_F(EmulatedGpu, LanesExchangeValues) {
  Compile(R"(
SL_GLOBAL(lanes, Args, a) {
  int lane = threadIdx.x % 32;
  float v = float(threadIdx.x);
  float* y = a.y + threadIdx.x * 8;
  y[0] = __shfl_up_sync(~0u, v, 1);
  y[1] = __shfl_down_sync(~0u, v, 1, 8);
  y[2] = __shfl_sync(~0u, v, 3, 8);
  y[3] = float(__popc(__ballot_sync(~0u, lane < 5)));
  // Half of a warp goes its own way, and meets the others again.
  if (lane < 16) {
    y[4] = __shfl_xor_sync(0xffffu, v, 1);
    __syncwarp(0xffffu);
  } else {
    y[4] = __any_sync(0xffff0000u, lane == 16);
  }
  y[5] = float(__reduce_add_sync(~0u, unsigned(lane)));
  y[6] = float(__popc(__match_any_sync(~0u, lane % 4)));
  y[7] = float(__syncthreads_count(threadIdx.x % 3 == 0));
}
)");
  ASSERT_EQ(Launch("lanes", 1, 64), CUDA_SUCCESS);
  std::vector<float> y = Get(64 * 8);
  for (int i = 0; i < 64; ++i) {
    int lane = i % 32;
    const float* got = &y[static_cast<size_t>(i) * 8];
    EXPECT_EQ(got[0], lane == 0 ? i : i - 1);
    EXPECT_EQ(got[1], lane % 8 == 7 ? i : i + 1);
    EXPECT_EQ(got[2], i / 8 * 8 + 3);
    EXPECT_EQ(got[3], 5);
    EXPECT_EQ(got[4], lane < 16 ? (i ^ 1) : 1);
    EXPECT_EQ(got[5], 31 * 16);
    EXPECT_EQ(got[6], 8);
    EXPECT_EQ(got[7], 22);
  }
}

TEST_F(EmulatedGpu, ABarrierThatSomeDoNotReachIsAnError) {
  Compile(
      "SL_GLOBAL(k, Args, a) { if (threadIdx.x < 40) __syncthreads(); }\n"
      "SL_GLOBAL(w, Args, a) { if (threadIdx.x % 2) __syncwarp();\n"
      "                        else __syncthreads(); }\n");
  EXPECT_EQ(FailureOf("k", 2, 64),
            "the emulated kernel k, block (0, 0, 0): of 64 threads 40 wait at "
            "a barrier of the block, 0 for lanes of their warp, and 24 have "
            "ended; wanted all at one");
  EXPECT_NE(FailureOf("w", 1, 32)
                .find("16 wait at a barrier of the block, 16 "
                      "for lanes of their warp"),
            std::string::npos);
}

TEST_F(EmulatedGpu, AKernelThatGivesUpIsAnErrorUntilItIsTaken) {
  Compile(
      "SL_GLOBAL(k, Args, a) { if (threadIdx.x == 3) __trap(); }\n"
      "SL_GLOBAL(spin, Args, a) { for (;;) __nanosleep(1); }\n");
  ASSERT_EQ(Launch("k", 1, 64), CUDA_SUCCESS);
  EXPECT_EQ(driver_.cuStreamSynchronize(stream_), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_EQ(Launch("k", 1, 64), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_EQ(emulated::TakeFailure(),
            "the emulated kernel k, block (0, 0, 0): thread (3, 0, 0): __trap");
  EXPECT_NE(FailureOf("spin", 1, 2).find("waits in a loop"), std::string::npos);
}

TEST_F(EmulatedGpu, AnAddressWithoutMemoryIsToldWithTheThread) {
  Compile(
      "SL_GLOBAL(k, Args, a) {\n"
      "  __syncthreads();\n"
      "  if (threadIdx.x == 5) a.x[(int64_t)1 << 50] = 1;\n}\n"
      "SL_GLOBAL(null, Args, a) { *(volatile int*)8 = 1; }\n");
  EXPECT_NE(FailureOf("k", 1, 64).find("thread (5, 0, 0) touches the address"),
            std::string::npos);
  EXPECT_EQ(FailureOf("null", 1, 1),
            "the emulated kernel null, block (0, 0, 0): thread (0, 0, 0) "
            "touches the address 0x8, where it has no memory");
  // The GPU works after that.
  EXPECT_EQ(FailureOf("k", 1, 2), "");
}

TEST_F(EmulatedGpu, WhatNobodyWroteShows) {
  Compile(R"(
SL_GLOBAL(k, Args, a) {
  __shared__ float fixed[4];
  extern __shared__ float kept[];
  a.y[0] = fixed[1] == fixed[1];
  a.y[1] = kept[1] == kept[1];
  fixed[1] = kept[1] = 1;
}
SL_GLOBAL(beyond, Args, a) {
  extern __shared__ float kept[];
  kept[16] = 1;
}
)");
  EXPECT_TRUE(std::isnan(Get(1)[0])) << "fresh memory of the GPU";
  // Separately for each block.
  ASSERT_EQ(Launch("k", 2, 1, 64), CUDA_SUCCESS);
  EXPECT_EQ(Get(2)[1], 0);
  // Other compilers leave variables of a block as they were.
  if (EmulatedCompilerVersion()->find("clang") != std::string::npos) {
    EXPECT_EQ(Get(2)[0], 0);
  }
  EXPECT_NE(FailureOf("beyond", 1, 1, 64).find("writes behind its 64 bytes"),
            std::string::npos);
}

TEST_F(EmulatedGpu, LaunchesThatNoGpuTakesAreRefused) {
  Compile("SL_GLOBAL(k, Args, a) {}\n");
  EXPECT_EQ(Launch("k", 1, 1025), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(Launch("k", 1, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(Launch("k", 0, 1), CUDA_ERROR_INVALID_VALUE);
  // Kernels can request more shared memory in advance.
  EXPECT_EQ(Launch("k", 1, 1, 100'000), CUDA_ERROR_INVALID_VALUE);
  CUfunction function = nullptr;
  driver_.cuModuleGetFunction(&function, module_, "k");
  driver_.cuFuncSetAttribute(
      function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100'000);
  EXPECT_EQ(Launch("k", 1, 1, 100'000), CUDA_SUCCESS);
  EXPECT_EQ(driver_.cuModuleGetFunction(&function, module_, "absent"),
            CUDA_ERROR_NOT_FOUND);
}

TEST_F(EmulatedGpu, WhatIsRecordedRunsWhenItIsLaunched) {
  Compile("SL_GLOBAL(k, Args, a) { a.y[threadIdx.x] += 1; }\n");
  driver_.cuMemsetD8Async(y_, 0, 64, stream_);
  CUgraph graph = nullptr;
  CUgraphExec exec = nullptr;
  ASSERT_EQ(
      driver_.cuStreamBeginCapture(stream_, CU_STREAM_CAPTURE_MODE_GLOBAL),
      CUDA_SUCCESS);
  ASSERT_EQ(Launch("k", 1, 4), CUDA_SUCCESS);
  ASSERT_EQ(Launch("k", 1, 2), CUDA_SUCCESS);
  EXPECT_EQ(driver_.cuStreamSynchronize(stream_),
            CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  ASSERT_EQ(driver_.cuStreamEndCapture(stream_, &graph), CUDA_SUCCESS);
  EXPECT_EQ(Get(4), (std::vector<float>{0, 0, 0, 0}));
  ASSERT_EQ(driver_.cuGraphInstantiate(&exec, graph, 0), CUDA_SUCCESS);
  for (int i = 0; i < 3; ++i) driver_.cuGraphLaunch(exec, stream_);
  EXPECT_EQ(Get(4), (std::vector<float>{6, 6, 3, 3}));
  driver_.cuGraphDestroy(graph);
  driver_.cuGraphExecDestroy(exec);
}

// y[0] counts down from x[0]; y[1] counts the rounds.
TEST_F(EmulatedGpu, ALoopOfAGraphAsksTheNumberItsKernelsSet) {
  Compile(R"(
SL_GLOBAL(begin, Args, a) {
  a.y[0] = a.x[0];
  a.y[1] = 0;
  *reinterpret_cast<unsigned*>(a.n) = a.y[0] > 0;
}
SL_GLOBAL(round, Args, a) {
  a.y[0] -= 1;
  a.y[1] += 1;
  *reinterpret_cast<unsigned*>(a.n) = a.y[0] > 0;
}
)");
  CUstream inner = nullptr;
  ASSERT_EQ(driver_.cuStreamCreate(&inner, 0), CUDA_SUCCESS);
  driver_.cuStreamBeginCapture(stream_, CU_STREAM_CAPTURE_MODE_GLOBAL);
  CUgraph graph = nullptr, body = nullptr;
  CUstreamCaptureStatus status;
  driver_.cuStreamGetCaptureInfo(stream_, &status, nullptr, &graph, nullptr,
                                 nullptr, nullptr);
  ASSERT_EQ(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  CUgraphConditionalHandle handle = 0;
  driver_.cuGraphConditionalHandleCreate(&handle, graph, nullptr, 0, 0);
  auto number = static_cast<int64_t>(handle);
  Launch("begin", 1, 1, 0, number);
  CUgraphNodeParams params = {};
  params.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
  params.conditional.handle = handle;
  params.conditional.type = CU_GRAPH_COND_TYPE_WHILE;
  params.conditional.size = 1;
  CUgraphNode node = nullptr;
  ASSERT_EQ(driver_.cuGraphAddNode(&node, graph, nullptr, nullptr, 0, &params),
            CUDA_SUCCESS);
  driver_.cuStreamBeginCaptureToGraph(inner, params.conditional.phGraph_out[0],
                                      nullptr, nullptr, 0,
                                      CU_STREAM_CAPTURE_MODE_GLOBAL);
  std::swap(stream_, inner);
  Launch("round", 1, 1, 0, number);
  std::swap(stream_, inner);
  ASSERT_EQ(driver_.cuStreamEndCapture(inner, &body), CUDA_SUCCESS);
  EXPECT_EQ(body, params.conditional.phGraph_out[0]);
  ASSERT_EQ(driver_.cuStreamEndCapture(stream_, &graph), CUDA_SUCCESS);
  CUgraphExec exec = nullptr;
  ASSERT_EQ(driver_.cuGraphInstantiate(&exec, graph, 0), CUDA_SUCCESS);
  driver_.cuGraphDestroy(graph);
  for (float rounds : {3.0f, 0.0f, 7.0f}) {
    Put({rounds});
    driver_.cuGraphLaunch(exec, stream_);
    EXPECT_EQ(Get(2), (std::vector<float>{0, rounds}));
  }
  driver_.cuGraphExecDestroy(exec);
}

TEST_F(EmulatedGpu, WhatTheCompilerSaysIsTold) {
  Result<std::string> image =
      CompileEmulated("SL_GLOBAL(k, int, a) { wrong; }", KernelHeaders());
  ASSERT_FALSE(image.ok());
  EXPECT_NE(image.status().message().find("kernel.cu:1"), std::string::npos)
      << image.status().message();
}

}  // namespace
}  // namespace sluice
