#include "tests/cuda_attention_check.h"

#include <cmath>
#include <random>

#include "sluice/base/strings.h"
#include "sluice/device/devices.h"
#include "sluice/launch/copy_between.h"
#include "sluice/launch/cuda_work.h"
#include "sluice/op/registry.h"
#include "sluice/op/run_op.h"
#include "sluice/op/signature.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {

namespace {

using Ints = std::vector<int64_t>;

enum class Masked { kNot, kBool, kAdded };
// How k and v lie in memory.
enum class Layout { kDense, kAmongOthers, kTurned };

struct Case {
  int64_t heads, kv_heads, queries, keys, depth, values;
  bool causal = false;
  DType dtype = DType::kBF16;
  Masked mask = Masked::kNot;
  Layout layout = Layout::kDense;
  double scale = 0;
};

constexpr DType kBf = DType::kBF16, kHf = DType::kF16;

const Case kCases[] = {
    {2, 2, 17, 200, 8, 8, false, kBf},
    {4, 2, 130, 200, 64, 64, true, kHf},
    {2, 2, 200, 70, 64, 64, true, kBf},
    {2, 1, 1, 200, 128, 128, false, kBf},
    {1, 1, 70, 130, 128, 64, true, kHf},
    {2, 2, 65, 64, 40, 40, false, kHf},
    {1, 1, 129, 65, 96, 80, false, kBf},
    // Rows that are not whole packs.
    {2, 2, 33, 65, 37, 13, true, kHf},
    {2, 1, 20, 70, 64, 64, false, kBf, Masked::kBool},
    {2, 2, 70, 80, 64, 64, true, kBf, Masked::kAdded},
    {2, 2, 66, 66, 64, 64, true, kBf, Masked::kNot, Layout::kAmongOthers},
    {2, 2, 20, 66, 64, 64, false, kHf, Masked::kNot, Layout::kTurned},
    {2, 2, 20, 30, 32, 32, true, kBf, Masked::kNot, Layout::kDense, -0.3},
    // Not fused: too deep.
    {2, 1, 20, 30, 160, 32, true, kBf, Masked::kNot, Layout::kTurned},
};

std::string NameOf(const Case& c) {
  return StrCat(DTypeName(c.dtype), ", heads ", c.heads, " over ", c.kv_heads,
                ", queries ", c.queries, ", keys ", c.keys, ", depth ", c.depth,
                ", values ", c.values, c.causal ? ", causal" : "", ", mask ",
                static_cast<int>(c.mask), ", layout ",
                static_cast<int>(c.layout));
}

// The same numbers in f32, each one of `dtype`.
Array Random(DType dtype, const Ints& dims, std::mt19937& from) {
  Array a = *Array::Make(DType::kF32, *Shape::Make(dims));
  float* x = a.mutable_data<float>();
  for (int64_t i = 0; i < a.num_elements(); ++i) {
    float v = static_cast<float>(from()) / 2147483648.0f - 1;
    x[i] = dtype == kBf ? float(bf16(v)) : float(f16(v));
  }
  return a;
}
double At(const Array& a, int64_t i) {
  double v = 0;
  DispatchFloats(a.dtype(),
                 [&]<class T>() { v = static_cast<double>(a.data<T>()[i]); });
  return v;
}

Array As(DType dtype, const Array& a) {
  Array b = *Array::Make(dtype, a.shape());
  DispatchFloats(dtype, [&]<class T>() {
    for (int64_t i = 0; i < a.num_elements(); ++i) {
      b.mutable_data<T>()[i] = static_cast<T>(static_cast<float>(At(a, i)));
    }
  });
  return b;
}

// Every query sees some keys, but for the first, which sees none.
Array MakeMask(const Case& c, std::mt19937& from) {
  bool added = c.mask == Masked::kAdded;
  Array mask = *Array::Make(added ? DType::kF32 : DType::kBool,
                            *Shape::Make(Ints{c.queries, c.keys}));
  for (int64_t i = 0; i < mask.num_elements(); ++i) {
    bool seen = i >= c.keys && (i % c.keys == 0 || from() % 3 != 0);
    if (added) {
      float v = static_cast<float>(from() % 100) / 50;
      mask.mutable_data<float>()[i] = seen ? v : -HUGE_VALF;
    } else {
      mask.mutable_data<bool>()[i] = seen;
    }
  }
  return mask;
}

// On the GPU, in that layout.
Result<Array> Placed(Device& gpu, const Array& a, Layout layout) {
  SL_ASSIGN_OR_RETURN(Array there, CopyTo(a, gpu));
  if (layout == Layout::kDense) return there;
  int64_t heads = a.dim(0), rows = a.dim(1), width = a.dim(2);
  // [rows, 3, heads, width], the second of the three; or columns as rows.
  bool among = layout == Layout::kAmongOthers;
  SL_ASSIGN_OR_RETURN(Array base,
                      Array::Make(a.dtype(), {rows * 3 * heads * width},
                                  gpu.memory().allocator()));
  Strides strides{};
  strides[0] = among ? width : rows * width;
  strides[1] = among ? 3 * heads * width : 1;
  strides[2] = among ? 1 : rows;
  Array view = Array::View(base, among ? heads * width : 0, a.shape(), strides);
  SL_RETURN_IF_ERROR(CopyElements(there, view));
  return view;
}

class Checker {
 public:
  Checker(Device& gpu, const Case& c) : gpu_(gpu), case_(c) {}

  // What is wrong; empty: nothing.
  std::string Check() {
    Status status = Try();
    if (!status.ok()) StrAppend(found_, status.ToString());
    return found_;
  }

 private:
  Status Try() {
    const Case& c = case_;
    std::mt19937 from(static_cast<unsigned>(c.queries * 1000 + c.keys));
    Array q = Random(c.dtype, {c.heads, c.queries, c.depth}, from);
    Array k = Random(c.dtype, {c.kv_heads, c.keys, c.depth}, from);
    Array v = Random(c.dtype, {c.kv_heads, c.keys, c.values}, from);
    Array dy = Random(c.dtype, {c.heads, c.queries, c.values}, from);
    std::vector<Array> in = {q, k, v};
    if (c.mask != Masked::kNot) in.push_back(MakeMask(c, from));
    SL_ASSIGN_OR_RETURN(auto want, Compare("Attention", in));
    // What the gradient gets of the former is what it would get there.
    Array y = As(DType::kF32, As(c.dtype, want[0]));
    std::vector<Array> back = {dy, q, k, v, y, want[1]};
    if (c.mask != Masked::kNot) back.push_back(in[3]);
    return Compare("AttentionGrad", back).status();
  }

  // The CPU's results, in f32.
  Result<std::vector<Array>> Compare(const char* name,
                                     const std::vector<Array>& in) {
    const OpRecord& op = *FindOp(name);
    Attrs attrs{{"causal", case_.causal}, {"scale", case_.scale}};
    SL_ASSIGN_OR_RETURN(std::vector<Array> want, RunOp(op, attrs, in));
    SL_ASSIGN_OR_RETURN(std::vector<Array> got, OnGpu(op, attrs, in));
    SL_ASSIGN_OR_RETURN(std::vector<Array> again, OnGpu(op, attrs, in));
    for (size_t i = 0; i < want.size(); ++i) {
      Judge(StrCat(name, ", output ", i), want[i], got[i]);
      if (!got[i].BitEquals(again[i])) {
        StrAppend(found_, name, ", output ", i, ": other bits every time; ");
      }
    }
    return want;
  }

  // By |got - want| / |want| over all of them.
  void Judge(const std::string& what, const Array& want, const Array& got) {
    double apart = 0, size = 0;
    for (int64_t i = 0; i < want.num_elements(); ++i) {
      double w = At(want, i), g = At(got, i);
      if (w == g) continue;
      apart += (g - w) * (g - w);
    }
    for (int64_t i = 0; i < want.num_elements(); ++i) {
      double w = At(want, i);
      if (std::isfinite(w)) size += w * w;
    }
    // Rounded to the type where they are stored, and once before: about twice
    // what was seen. Logarithms stay floats.
    double bound = got.dtype() == kBf ? 6e-3 : got.dtype() == kHf ? 8e-4 : 2e-6;
    double error = std::sqrt(apart / std::max(size, 1e-30));
    if (error <= bound) return;  // and not NaN
    StrAppend(found_, what, ": off by ", error, "; wanted ", bound, "; ");
  }

  Result<std::vector<Array>> OnGpu(const OpRecord& op, const Attrs& attrs,
                                   const std::vector<Array>& in) {
    std::vector<Array> there;
    std::vector<DType> dtypes;
    for (const Array& a : in) {
      // Logarithms and masks keep their types.
      bool operand = a.rank() == 3;
      Array typed = operand ? As(case_.dtype, a) : a;
      Layout layout = operand ? case_.layout : Layout::kDense;
      SL_ASSIGN_OR_RETURN(Array placed, Placed(gpu_, typed, layout));
      there.push_back(placed);
      dtypes.push_back(typed.dtype());
    }
    SL_ASSIGN_OR_RETURN(ResolvedCall call, ResolveCall(op, attrs, dtypes));
    StepContext step;
    step.memory = gpu_.array_memory();
    NodeInfo node;
    std::vector<Array> out(call.out_dtypes.size());
    Status late;
    SL_RETURN_IF_ERROR(
        LaunchOnGpu(gpu_, {op, call.attrs, node, call.out_dtypes}, step, there,
                    out, [&](const Status& error) { late = error; }));
    for (Array& a : out) {
      SL_ASSIGN_OR_RETURN(a, CopyTo(a, CpuDevice()));
    }
    SL_RETURN_IF_ERROR(gpu_.stream().Synchronize());
    SL_RETURN_IF_ERROR(late);
    return out;
  }

  Device& gpu_;
  const Case& case_;
  std::string found_;
};

}  // namespace

Result<CudaAttentionReport> CheckCudaAttention() {
  SL_ASSIGN_OR_RETURN(Device * gpu, Devices::Find("gpu:0"));
  CudaAttentionReport report;
  for (const Case& c : kCases) {
    ++report.cases;
    std::string found = Checker(*gpu, c).Check();
    if (!found.empty())
      report.failures.push_back(StrCat(NameOf(c), ": ", found));
  }
  return report;
}

}  // namespace sluice
