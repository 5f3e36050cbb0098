// Kernels for GPUs that cut long slices into parts, hold short ones in
// registers and merge what they have sorted, at sizes where they do: the ops'
// own samples are too small for that. On the emulated GPU under CTest, which
// sets SLUICE_CUDA_EMULATION, and on a real one without it.
#include <gtest/gtest.h>

#include <cstdint>
#include <random>

#include "sluice/base/strings.h"
#include "sluice/device/devices.h"
#include "sluice/launch/copy_between.h"
#include "sluice/launch/cuda_work.h"
#include "sluice/op/host_inputs.h"
#include "sluice/op/registry.h"
#include "sluice/op/run_op.h"
#include "sluice/op/signature.h"
#include "sluice/tensor/dispatch.h"
#include "tests/cuda_compare.h"

namespace sluice {
namespace {

using Ints = std::vector<int64_t>;

struct In {
  Ints dims;
  DType dtype = DType::kF32;
  double lo = 0, hi = 1;
};
struct Case {
  const char* op;
  std::vector<In> in;
  Attrs attrs{};
};

Array Random(const In& in, std::mt19937& from) {
  Array a = *Array::Make(in.dtype, *Shape::Make(in.dims));
  DispatchReals(in.dtype, [&]<class T>() {
    T* x = a.mutable_data<T>();
    for (int64_t i = 0; i < a.num_elements(); ++i) {
      double part = static_cast<double>(from()) / 4294967296.0;
      double v = in.lo + (in.hi - in.lo) * part;
      x[i] = static_cast<T>(static_cast<float>(v));
    }
  });
  return a;
}

std::string NameOf(const Case& c) {
  std::string name = StrCat(c.op, "(");
  for (const In& in : c.in) {
    StrAppend(name, name.back() == '(' ? "" : ", ", DTypeName(in.dtype), "[",
              Join(in.dims, ","), "]");
  }
  return StrCat(name, ")");
}

// What the GPU gives, on the host. Unimplemented: it leaves the call to it.
Result<std::vector<Array>> OnGpu(Device& gpu, const OpRecord& op,
                                 const Attrs& attrs,
                                 const std::vector<Array>& inputs) {
  std::vector<Array> there;
  std::vector<DType> dtypes;
  for (size_t i = 0; i < inputs.size(); ++i) {
    dtypes.push_back(inputs[i].dtype());
    there.push_back(inputs[i]);
    if (HostReads(op, DeviceKind::kCuda, i, inputs.size())) continue;
    SL_ASSIGN_OR_RETURN(there[i], CopyTo(inputs[i], gpu));
  }
  SL_ASSIGN_OR_RETURN(ResolvedCall call, ResolveCall(op, attrs, dtypes));
  StepContext step;
  step.memory = gpu.array_memory();
  NodeInfo node;
  std::vector<Array> outputs(call.out_dtypes.size());
  Status late;
  SL_RETURN_IF_ERROR(LaunchOnGpu(gpu, {op, call.attrs, node, call.out_dtypes},
                                 step, there, outputs,
                                 [&](const Status& error) { late = error; }));
  for (Array& out : outputs) {
    SL_ASSIGN_OR_RETURN(out, CopyTo(out, CpuDevice()));
  }
  SL_RETURN_IF_ERROR(gpu.stream().Synchronize());
  SL_RETURN_IF_ERROR(late);
  return outputs;
}

void Try(const std::vector<Case>& cases) {
  Result<Device*> gpu = Devices::Find("gpu:0");
  if (!gpu.ok()) GTEST_SKIP() << gpu.status().message();
  std::mt19937 from(7);
  for (const Case& c : cases) {
    SCOPED_TRACE(NameOf(c));
    const OpRecord* op = FindOp(c.op);
    ASSERT_NE(op, nullptr);
    std::vector<Array> inputs;
    for (const In& in : c.in) inputs.push_back(Random(in, from));
    Result<std::vector<Array>> want = RunOp(*op, c.attrs, inputs);
    ASSERT_TRUE(want.ok()) << want.status().ToString();
    Result<std::vector<Array>> got = OnGpu(**gpu, *op, c.attrs, inputs);
    if (!got.ok()) {
      ADD_FAILURE() << got.status().ToString();
      continue;
    }
    for (size_t i = 0; i < want->size(); ++i) {
      bool exact = !IsFloating((*want)[i].dtype());
      DeviceDifference d = CompareDevices(*op, (*got)[i], (*want)[i], exact);
      EXPECT_TRUE(d.equal) << "output " << i << ": " << d.text;
    }
  }
}

Attrs Axes(Ints axes) { return {{"axes", std::move(axes)}}; }
Attrs Axis(int64_t axis) { return {{"axis", axis}}; }

TEST(CudaLongSlices, Reductions) {
  Try({{"Sum", {{{300001}}}},
       {"Sum", {{{100000}, DType::kBF16}}},
       {"Sum", {{{3, 70000}}}, Axes({1})},
       {"Sum", {{{70000, 3}}}, Axes({0})},
       {"Sum", {{{90, 40, 130}}}, Axes({0, 2})},
       {"Sum", {{{400, 700}, DType::kF64}}, Axes({0})},
       // Several at a time, of every row, and not where rows are odd.
       {"Sum", {{{30, 3, 16, 20}, DType::kBF16}}, Axes({0, 2, 3})},
       {"Sum", {{{30, 3, 15, 15}, DType::kBF16}}, Axes({0, 2, 3})},
       {"Sum", {{{4, 7, 5, 3, 64}}}, Axes({0, 2, 4})},
       {"Sum", {{{900, 72}, DType::kBF16}}, Axes({0})},
       {"Sum", {{{2, 900, 40}, DType::kI8, -100, 100}}, Axes({1})},
       {"Mean", {{{300, 2, 5, 16}}}, Axes({0, 2})},
       {"ArgMax", {{{500, 16}, DType::kI32, 0, 100}}, Axis(0)},
       {"Sum", {{{2, 3000, 40}}}, Axes({1})},
       {"Sum", {{{3, 9000}, DType::kI8, -100, 100}}, Axes({1})},
       {"Max", {{{2, 20000}, DType::kF16, -2, 2}}, Axes({1})},
       {"ArgMax", {{{2, 50000}, DType::kI32, 0, 1000}}, Axis(1)},
       {"ArgMax", {{{20000, 3}, DType::kI32, 0, 1000}}, Axis(0)},
       {"Var", {{{3, 30000}}}, Axes({1})},
       {"Var", {{{9000, 5}, DType::kF64, 100, 101}}, Axes({0})},
       {"LogSumExp", {{{30000}, DType::kF32, -5, 5}}},
       {"CosineSimilarity", {{{2, 20000}}, {{2, 20000}}}, Axis(1)}});
}

TEST(CudaLongSlices, BatchNormalisation) {
  for (int64_t run : {64, 75}) {
    for (DType dtype : {DType::kF32, DType::kBF16}) {
      In x{{40, 3, run}, dtype, -1, 3}, channel{{3}, dtype, 0.5, 1.5};
      In mean{{3}, DType::kF32, 0.5, 1.5}, variance{{3}, DType::kF32, 1, 2};
      Try({{"BatchNorm", {x, channel, channel}},
           {"BatchNormGrad", {x, x, channel, mean, variance}}});
    }
  }
  for (int64_t channels : {24, 21}) {
    In x{{700, channels}, DType::kBF16, -1, 3};
    In channel{{channels}, DType::kBF16, 0.5, 1.5};
    In mean{{channels}, DType::kF32, 0.5, 1.5};
    In variance{{channels}, DType::kF32, 1, 2};
    Try({{"BatchNorm", {x, channel, channel}},
         {"BatchNormGrad", {x, x, channel, mean, variance}}});
  }
}

TEST(CudaLongSlices, Attention) {
  for (bool causal : {false, true}) {
    In q{{2, 4, 70, 16}, DType::kF32, -1, 1}, k{{2, 2, 600, 16}};
    In v{{2, 2, 600, 24}}, y{{2, 4, 70, 24}}, lse{{2, 4, 70}};
    lse.lo = 6, lse.hi = 7;
    Try({{"Attention", {q, k, v}, {{"causal", causal}}},
         {"AttentionGrad", {y, q, k, v, y, lse}, {{"causal", causal}}}});
  }
}

TEST(CudaLongSlices, Softmaxes) {
  for (const char* op : {"Softmax", "LogSoftmax"}) {
    std::string grad = StrCat(op, "Grad");
    for (const Ints& dims :
         {Ints{3, 600, 1}, Ints{2, 5000, 1}, Ints{2, 20000, 1}, Ints{2, 300, 5},
          Ints{1, 900, 40}}) {
      Try({{op, {{dims, DType::kF32, -3, 3}}, Axis(1)},
           {grad.c_str(), {{dims}, {dims, DType::kF32, 0, 0.01}}, Axis(1)}});
    }
  }
  In labels{{3}, DType::kI64, 0, 9000};
  Try({{"SparseSoftmaxCrossEntropy", {{{3, 9000}}, labels}},
       {"SoftmaxCrossEntropyWithLogits", {{{3, 700}}, {{3, 700}}}},
       {"NllLoss", {{{20000, 3}}, {{20000}, DType::kI64, 0, 3}}},
       {"NllLossGrad", {{{}}, {{20000, 3}}, {{20000}, DType::kI64, 0, 3}}},
       {"MseLoss", {{{100000}}, {{100000}}}}});
}

TEST(CudaLongSlices, Normalisations) {
  In stats{{2, 2}, DType::kF32, 0.4, 0.6}, channel{{3}, DType::kF32, 0.4, 0.6};
  Try({{"LayerNorm", {{{3, 20000}}, {{20000}}, {{20000}}}},
       {"RmsNorm", {{{3, 1000}}, {{1000}}}},
       {"LayerNormGrad", {{{900, 40}}, {{900, 40}}, {{40}}, {{900}}, {{900}}}},
       {"LayerNormGrad", {{{2, 9000}}, {{2, 9000}}, {{9000}}, {{2}}, {{2}}}},
       {"GroupNorm", {{{2, 4, 3000}}, {{4}}, {{4}}}, {{"groups", 2}}},
       {"GroupNormGrad",
        {{{2, 4, 3000}}, {{2, 4, 3000}}, {{4}}, stats, stats},
        {{"groups", 2}}},
       {"BatchNorm", {{{40, 3, 300}}, {{3}}, {{3}}}},
       {"BatchNorm", {{{4000, 3}}, {{3}}, {{3}}}},
       {"BatchNormGrad",
        {{{40, 3, 300}}, {{40, 3, 300}}, {{3}}, channel, channel}}});
}

TEST(CudaLongSlices, Scans) {
  Attrs back{{"axis", 0}, {"reverse", true}, {"exclusive", true}};
  Try({{"CumSum", {{{100000}}}},
       {"CumSum", {{{3, 20000}, DType::kI32, -9, 9}}, Axis(1)},
       {"CumSum", {{{3, 700}}}, Axis(1)},
       {"CumSum", {{{3000, 5}}}, back},
       {"CumSum", {{{40, 20000}}}, back},
       {"CumMax", {{{70000}, DType::kI32, 0, 1 << 30}}},
       {"LogCumSumExp", {{{30000}}}},
       {"LinearScan", {{{50000}}, {{50000}}}, Axis(0)}});
}

TEST(CudaLongSlices, Sorts) {
  auto top = [](int64_t k) { return Attrs{{"k", k}}; };
  Try({{"Sort", {{{5000}}}},
       {"Sort", {{{2, 3000, 3}, DType::kF64}}, Axis(1)},
       {"Sort", {{{300, 9}, DType::kI8, -9, 9}}, {{"descending", true}}},
       {"ArgSort", {{{30000}, DType::kI32, 0, 99}}},
       {"ArgSort", {{{3, 2500}, DType::kI64, 0, 99}}, {{"descending", true}}},
       {"TopK", {{{2, 30000}, DType::kF32}}, top(5)},
       {"TopK", {{{2, 9000}, DType::kI16, 0, 50}}, top(1024)},
       {"TopK", {{{2, 9000}, DType::kI16, 0, 50}}, top(3000)},
       {"Histogram",
        {{{100000}}},
        {{"bins", 10}, {"min", 0.1}, {"max", 0.9}}}});
}

TEST(CudaLongSlices, LargeWindows) {
  Attrs one{{"output_size", Ints{1}}};
  Attrs wide{{"kernel_size", Ints{9}}, {"strides", Ints{2}}};
  Try({{"AdaptiveAvgPool2D", {{{2, 3, 40, 40}}}, one},
       {"AdaptiveMaxPool2D", {{{2, 3, 40, 40}}}, one},
       {"MaxPool2D", {{{1, 2, 30, 30}}}, wide},
       {"AvgPool2D", {{{1, 2, 30, 30}}}, wide},
       {"MaxPool2DGrad", {{{1, 2, 30, 30}}, {{1, 2, 11, 11}}}, wide}});
}

}  // namespace
}  // namespace sluice
