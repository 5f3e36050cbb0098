#include "sluice/kernels/cuda/elementwise.h"

#include <cstring>
#include <unordered_map>

#include "sluice/base/small_vector.h"
#include "sluice/base/strings.h"
#include "sluice/kernels/cuda/checked_int.h"
#include "sluice/kernels/cuda/cuda_kernel.h"
#include "sluice/kernels/cuda/formula_source.h"
#include "sluice/kernels/cuda/walk.h"
#include "sluice/op/registry_internal.h"
#include "sluice/tensor/strided.h"

namespace sluice {

namespace {

constexpr size_t kMaxInputs = kMaxBlockInputs;

// Layout as in source/elementwise.cuh.
struct Args {
  void* out = nullptr;
  const void* in[kMaxInputs] = {};
  int64_t n = 0;
  BlockParams params;
  uint64_t number[kMaxInputs] = {};
  int32_t step[kMaxInputs] = {};
  int32_t packed = 0;
  int32_t rank = 0;
  int64_t size[kMaxWalkRank] = {};
  int64_t stride[kMaxInputs][kMaxWalkRank] = {};
};

// The elements that a thread processes at a time: 16 bytes of the widest type.
int PackCount(std::span<const DType> in, DType out) {
  int64_t widest = DTypeSize(out);
  for (DType dtype : in) widest = std::max(widest, DTypeSize(dtype));
  return widest >= 8 ? 2 : 4;
}

// "a(i), b(i)" for each input, from a pattern with # for its number.
std::string ForInputs(size_t count, std::string_view pattern,
                      std::string_view between = ", ") {
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    if (i > 0) text += between;
    for (char c : pattern) {
      if (c == '#') {
        text += std::to_string(i);
      } else {
        text += c;
      }
    }
  }
  return text;
}

std::string LoopSource(size_t inputs, int pack) {
  auto each = [&](std::string_view pattern, std::string_view between = ", ") {
    return ForInputs(inputs, pattern, between);
  };
  std::string one =
      StrCat("inline Out One(const BlockParams& p, ", each("In# v#"),
             ") {\n  return Narrow<Out>(ApplyFormula<F, Compute<In0>>(p, ",
             each("Widen(v#)"), "));\n}\n");
  std::string flat = StrCat(
      "SL_GLOBAL(flat, ElementwiseArgs, a) {\n",
      each("  auto x# = FlatOf<In#>(a, #);\n", ""),
      "  Out* y = static_cast<Out*>(a.out);\n"
      "  constexpr int kPack = ",
      pack,
      ";\n  int64_t packs = a.packed ? a.n / kPack : 0;\n"
      "  for (int64_t i = FirstThread(); i < packs; i += AllThreads()) {\n",
      each("    auto p# = x#.PackAt<kPack>(i);\n", ""),
      "    Pack<Out, kPack> r;\n"
      "    for (int k = 0; k < kPack; ++k) r.v[k] = One(a.params, ",
      each("p#.v[k]"),
      ");\n    reinterpret_cast<Pack<Out, kPack>*>(y)[i] = r;\n  }\n"
      "  for (int64_t i = packs * kPack + FirstThread(); i < a.n; "
      "i += AllThreads()) {\n    y[i] = One(a.params, ",
      each("x#.At(i)"), ");\n  }\n}\n");
  std::string strided;
  for (std::string_view bits : {"32", "64"}) {
    StrAppend(strided, "SL_GLOBAL(strided", bits,
              ", ElementwiseArgs, a) {\n"
              "  Out* y = static_cast<Out*>(a.out);\n"
              "  for (int64_t i = FirstThread(); i < a.n; i += AllThreads()) "
              "{\n    Walk<int",
              bits, "_t, ", inputs, "> w(a, i);\n    y[i] = One(a.params, ",
              each("FlatInput<In#>{static_cast<const In#*>(a.in[#]), 1, "
                   "*reinterpret_cast<const In#*>(&a.number[#])}"
                   ".At(w.at[#])"),
              ");\n  }\n}\n");
  }
  return one + flat + strided;
}

std::string SourceOf(std::string_view declarations, std::string_view formula,
                     std::span<const DType> in, DType out) {
  std::string types = StrCat("using Out = ", CudaTypeName(out), ";\n");
  for (size_t i = 0; i < in.size(); ++i) {
    StrAppend(types, "using In", i, " = ", CudaTypeName(in[i]), ";\n");
  }
  return StrCat(
      "#include \"sluice/cuda/elementwise.cuh\"\n"
      "#include \"sluice/kernels/cpu/vector_math.h\"\n"
      "#include \"sluice/cuda/gamma.cuh\"\n"
      "namespace sluice {\nnamespace op {\n",
      declarations, "}\nusing namespace op;\n", types, "using F = ", formula,
      ";\n", LoopSource(in.size(), PackCount(in, out)), "}\n");
}

std::string SourceOf(const OpRecord& op, const BlockKernel& block,
                     std::span<const DType> in, DType out) {
  if (!block.fn || block.formula.empty()) return {};
  std::string formula = PlainFormulaName(block.formula);
  if (formula == "formula::Convert") formula = "formula::ConvertTo<Out>";
  std::string declarations;
  if (!formula.starts_with("formula::")) {
    declarations = FormulaSource(op.line.file);
  }
  return SourceOf(declarations, formula, in, out);
}

struct Functions {
  CUfunction flat = nullptr, strided32 = nullptr, strided64 = nullptr;
};

Result<Functions> MakeFunctions(CudaDevice& device, const std::string& source) {
  Functions made;
  SL_ASSIGN_OR_RETURN(made.flat, CudaFunction(device, source, "flat"));
  SL_ASSIGN_OR_RETURN(made.strided32,
                      CudaFunction(device, source, "strided32"));
  SL_ASSIGN_OR_RETURN(made.strided64,
                      CudaFunction(device, source, "strided64"));
  return made;
}

// The key by which a launch finds its kernels.
struct Key {
  const CudaDevice* device = nullptr;
  const OpRecord* op = nullptr;
  const char* formula = nullptr;
  uint64_t types = 0;
  bool operator==(const Key&) const = default;
};
struct KeyHash {
  size_t operator()(const Key& k) const {
    uint64_t h = k.types * 0x9e3779b97f4a7c15u;
    h ^= reinterpret_cast<uintptr_t>(k.op) >> 4;
    h ^= reinterpret_cast<uintptr_t>(k.formula) << 7;
    return h ^ (h >> 31) ^ reinterpret_cast<uintptr_t>(k.device);
  }
};
struct Known {
  Mutex mu;
  std::unordered_map<Key, Functions, KeyHash> functions SL_GUARDED_BY(mu);

  static Known& Get() {
    static auto& known = *new Known;
    return known;
  }
};

bool Aligned(const void* address, int64_t bytes) {
  return reinterpret_cast<uintptr_t>(address) % static_cast<size_t>(bytes) == 0;
}

// Launches over operands of any strides that broadcast to `out`, which is
// contiguous.
Status LaunchOver(const KernelContext& ctx, const Functions& functions,
                  const BlockParams& params, std::span<const Array> in,
                  const Array& out) {
  Args args;
  args.out = AddressOf(out);
  args.n = out.num_elements();
  if (args.n == 0) return OkStatus();
  args.params = params;
  SmallVector<DType, 3> dtypes;
  bool flat = true;
  for (size_t i = 0; i < in.size(); ++i) {
    dtypes.push_back(in[i].dtype());
    bool one = in[i].num_elements() == 1;
    if (in[i].on_host()) {
      std::memcpy(&args.number[i], in[i].raw(),
                  static_cast<size_t>(in[i].bytes()));
    } else {
      args.in[i] = AddressOf(in[i]);
    }
    args.step[i] = one ? 0 : 1;
    flat =
        flat && (one || (in[i].contiguous() && in[i].shape() == out.shape()));
  }
  CudaDevice& device = GpuOf(ctx);
  if (flat) {
    int64_t pack = PackCount(dtypes, out.dtype());
    bool packed = Aligned(args.out, pack * DTypeSize(out.dtype()));
    for (size_t i = 0; i < in.size(); ++i) {
      packed = packed && (args.step[i] == 0 ||
                          Aligned(args.in[i], pack * DTypeSize(dtypes[i])));
    }
    args.packed = packed ? 1 : 0;
    CudaGrid grid = GridFor(device, packed ? args.n / pack + 1 : args.n);
    return LaunchCuda(ctx, functions.flat, grid, args);
  }
  SmallVector<Strides, 3> strides;
  int64_t farthest = args.n;
  for (const Array& x : in) {
    strides.push_back(BroadcastStrides(x, out.shape()));
    for (int axis = 0; axis < out.rank(); ++axis) {
      int64_t step = strides.back()[static_cast<size_t>(axis)];
      farthest += std::abs(step) * out.dim(axis);
    }
  }
  GpuWalk<kMaxInputs> walk(out.shape(), strides);
  if (!walk.fits) return NotServed();
  args.rank = walk.rank;
  std::memcpy(args.size, walk.size.data(), sizeof args.size);
  std::memcpy(args.stride, walk.stride.data(), sizeof args.stride);
  CUfunction function =
      farthest < (int64_t{1} << 31) ? functions.strided32 : functions.strided64;
  return LaunchCuda(ctx, function, GridFor(device, args.n), args);
}

Status Launch(KernelContext& ctx) {
  SmallVector<DType, 3> dtypes;
  uint64_t types = static_cast<uint64_t>(ctx.out(0).dtype());
  SmallVector<Array, 3> inputs;
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    dtypes.push_back(ctx.in(i).dtype());
    types = types * 64 + static_cast<uint64_t>(ctx.in(i).dtype());
    inputs.push_back(ctx.in(i));
  }
  BlockKernel block = ctx.op().block(ctx.attrs(), dtypes, ctx.out(0).dtype());
  if (!block.fn) return LaunchCheckedInts(ctx);
  if (block.formula.empty()) return NotServed();
  CudaDevice& device = GpuOf(ctx);
  Key key{&device, &ctx.op(), block.formula.data(), types};
  Known& known = Known::Get();
  Functions functions;
  {
    MutexLock lock(known.mu);
    auto it = known.functions.find(key);
    if (it != known.functions.end()) functions = it->second;
  }
  if (!functions.flat) {
    std::string source = SourceOf(ctx.op(), block, dtypes, ctx.out(0).dtype());
    SL_ASSIGN_OR_RETURN(functions, MakeFunctions(device, source));
    MutexLock lock(known.mu);
    known.functions.emplace(key, functions);
  }
  return LaunchOver(ctx, functions, block.params, inputs, ctx.out(0));
}

struct Registration {
  Registration() {
    Kernel kernel;
    kernel.launch = Launch;
    kernel.strided_inputs = true;
    kernel.in_place = true;
    registry_internal::AddElementwiseKernel(DeviceKind::kCuda, kernel);
  }
};
[[maybe_unused]] const Registration kRegistered;

}  // namespace

std::string ElementwiseSource(const OpRecord& op, const Attrs& attrs,
                              std::span<const DType> in, DType out) {
  return SourceOf(op, op.block(attrs, in, out), in, out);
}

}  // namespace sluice
