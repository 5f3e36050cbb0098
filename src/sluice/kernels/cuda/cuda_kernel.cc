#include "sluice/kernels/cuda/cuda_kernel.h"

#include <algorithm>
#include <cstdlib>
#include <unordered_map>
#include <utility>

#include "sluice/base/strings.h"
#include "sluice/device/cuda/launch_scope.h"
#include "sluice/kernels/cuda/cubin_cache.h"
#include "sluice/kernels/cuda/nvrtc.h"
#include "sluice/op/record.h"

namespace sluice {

namespace {

Result<std::string> CubinOf(const std::string& source, int architecture) {
  SL_ASSIGN_OR_RETURN(std::string version, CompilerVersion());
  std::string key = StrCat("nvrtc ", version, " sm_", architecture, " headers ",
                           HeadersFingerprint(source), "\n", source);
  const CubinCache& cache = CubinCache::Default();
  if (std::optional<std::string> found = cache.Find(key)) return *found;
  SL_ASSIGN_OR_RETURN(CompileResult compiled,
                      CompileForGpu(source, architecture));
  cache.Store(key, compiled.cubin);
  return std::move(compiled.cubin);
}

// Loaded modules, by device and source.
struct Modules {
  Mutex mu;
  std::unordered_map<std::string, CUmodule> loaded SL_GUARDED_BY(mu);

  static Modules& Get() {
    static auto& modules = *new Modules;
    return modules;
  }
};

Result<CUmodule> LoadModule(CudaDevice& device, const std::string& source) {
  Modules& modules = Modules::Get();
  std::string key = StrCat(device.name_text(), "\n", source);
  {
    MutexLock lock(modules.mu);
    auto it = modules.loaded.find(key);
    if (it != modules.loaded.end()) return it->second;
  }
  // Without the lock: other threads compile other sources meanwhile.
  SL_ASSIGN_OR_RETURN(std::string cubin,
                      CubinOf(source, device.architecture()));
  device.Enter();
  CUmodule module = nullptr;
  SL_CUDA(cuModuleLoadData(&module, cubin.data()), "loading a kernel");
  MutexLock lock(modules.mu);
  return modules.loaded.emplace(std::move(key), module).first->second;
}

}  // namespace

std::vector<LoadedKernels> AllLoadedKernels() {
  Modules& modules = Modules::Get();
  std::vector<LoadedKernels> all;
  MutexLock lock(modules.mu);
  for (const auto& [key, module] : modules.loaded) {
    all.push_back({key.substr(key.find('\n') + 1), module});
  }
  return all;
}

std::string_view CudaTypeName(DType dtype) {
  switch (dtype) {
    case DType::kF32:
      return "float";
    case DType::kF64:
      return "double";
    case DType::kF16:
      return "f16";
    case DType::kBF16:
      return "bf16";
    case DType::kI8:
      return "int8_t";
    case DType::kI16:
      return "int16_t";
    case DType::kI32:
      return "int32_t";
    case DType::kI64:
      return "int64_t";
    case DType::kU8:
      return "uint8_t";
    case DType::kU16:
      return "uint16_t";
    case DType::kU32:
      return "uint32_t";
    case DType::kU64:
      return "uint64_t";
    case DType::kBool:
      return "bool";
    case DType::kC64:
      return "complex64";
    default:
      return "void";
  }
}

Result<CUfunction> CudaFunction(CudaDevice& device, const std::string& source,
                                const std::string& name) {
  SL_ASSIGN_OR_RETURN(CUmodule module, LoadModule(device, source));
  device.Enter();
  CUfunction function = nullptr;
  SL_CUDA(cuModuleGetFunction(&function, module, name.c_str()),
          StrCat("looking for the kernel ", name));
  return function;
}

Result<CUfunction> FileFunction(CudaDevice& device, std::string_view file,
                                std::string_view before,
                                const std::string& name) {
  // Asked for at every launch: found by these texts, without making the source.
  struct Found {
    Mutex mu;
    std::unordered_map<std::string, CUfunction> functions SL_GUARDED_BY(mu);
  };
  static auto& found = *new Found;
  std::string key =
      StrCat(device.name_text(), "\n", file, "\n", name, "\n", before);
  {
    MutexLock lock(found.mu);
    auto it = found.functions.find(key);
    if (it != found.functions.end()) return it->second;
  }
  std::string source =
      StrCat("#include \"sluice/cuda/formula.cuh\"\nnamespace sluice {\n",
             before, "\n}\n#include \"sluice/cuda/", file, "\"\n");
  SL_ASSIGN_OR_RETURN(CUfunction function, CudaFunction(device, source, name));
  MutexLock lock(found.mu);
  found.functions.emplace(std::move(key), function);
  return function;
}

CudaGrid GridFor(CudaDevice& device, int64_t n, int64_t threads) {
  int64_t wanted = (n + threads - 1) / threads;
  int64_t most = device.num_processors() * int64_t{2048} / threads * 4;
  return {std::clamp<int64_t>(wanted, 1, most), threads};
}

namespace {

// Launches of a recording begin while the one before ends, and wait inside for
// its results (BeginKernel of source/std.cuh). Kernels of libraries neither
// wait nor are launched so.
bool MayBeginEarly(const CudaDevice& device) {
  static const bool wanted = [] {
    const char* set = std::getenv("SLUICE_EARLY_LAUNCH");
    return !set || *set != '0';
  }();
  if (!CudaRecordingScope::Current()) return false;
  bool other = std::exchange(CudaScopes::Here().behind_other, false);
  return wanted && !other && device.architecture() >= 90;
}

}  // namespace

Status LaunchCudaRaw(const KernelContext& ctx, CUfunction function,
                     const CudaGrid& grid, void* args) {
  void* params[] = {args};
  auto u = [](int64_t v) { return static_cast<unsigned>(v); };
  CudaDevice& device = GpuOf(ctx);
  device.Enter();
  if (!MayBeginEarly(device)) {
    SL_CUDA(cuLaunchKernel(function, u(grid.blocks), u(grid.blocks_y), 1,
                           u(grid.threads), 1, 1, u(grid.shared_bytes),
                           StreamOf(ctx), params, nullptr),
            "launching a kernel");
    return OkStatus();
  }
  CUlaunchAttribute early = {};
  early.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
  early.value.programmaticStreamSerializationAllowed = 1;
  CUlaunchConfig config = {};
  config.gridDimX = u(grid.blocks);
  config.gridDimY = u(grid.blocks_y);
  config.gridDimZ = 1;
  config.blockDimX = u(grid.threads);
  config.blockDimY = config.blockDimZ = 1;
  config.sharedMemBytes = u(grid.shared_bytes);
  config.hStream = StreamOf(ctx);
  config.attrs = &early;
  config.numAttrs = 1;
  SL_CUDA(cuLaunchKernelEx(&config, function, params, nullptr),
          "launching a kernel");
  return OkStatus();
}

namespace {

// Must agree with source/masked_checks.cuh and have the size of a Check.
struct MaskedArgs {
  const void* live;
  void* between;
  int64_t count;
  uint64_t slot[CudaMaskedChecks::kMost];
};
static_assert(CudaMaskedChecks::kMost * sizeof(LateChecks::Slot) <=
              CudaMaskedChecks::kBytes);

// The kernel writes there instead of to its slot.
CUdeviceptr Masked(CUdeviceptr slot) {
  CudaMaskedChecks* masked = CudaMaskedChecks::Current();
  if (!masked) return slot;
  masked->taken.push_back(slot);
  if (masked->taken.size() > CudaMaskedChecks::kMost) {
    masked->status = Internal("a kernel checks more than fits");
    masked->taken.pop_back();
    return slot;
  }
  return reinterpret_cast<CUdeviceptr>(masked->between) +
         (masked->taken.size() - 1) * sizeof(LateChecks::Slot);
}

Status TellMasked(const KernelContext& ctx, CudaMaskedChecks& masked) {
  SL_ASSIGN_OR_RETURN(
      CUfunction tell,
      FileFunction(GpuOf(ctx), "masked_checks.cuh", "", "tell_masked"));
  MaskedArgs args = {masked.live,
                     masked.between,
                     static_cast<int64_t>(masked.taken.size()),
                     {}};
  std::copy(masked.taken.begin(), masked.taken.end(), args.slot);
  masked.taken.clear();
  return LaunchCuda(ctx, tell, {1, 1}, args);
}

}  // namespace

CUdeviceptr TakeCheck(const KernelContext& ctx, MakeFinding make) {
  std::string where;
  if (!CudaLaunchScope::SaysWhere()) {
    where = StrCat("at ", ctx.node().line, " (node \"", ctx.node().name, "\")");
  }
  auto tell = [make = std::move(make), op = &ctx.op(), where](
                  const auto& late, int64_t a, int64_t b) {
    Status status = make(*op, a, b);
    if (!late || status.ok()) return;
    late(where.empty() ? status : status.WithLine(where));
  };
  if (const CudaRecordingScope* recording = CudaRecordingScope::Current()) {
    auto late = recording->late;
    CUdeviceptr slot = GpuOf(ctx).checks().Keep(
        [late, tell](int64_t a, int64_t b) { tell(*late, a, b); });
    recording->checks->push_back(slot);
    return Masked(slot);
  }
  auto late = CudaLaunchScope::Late();
  return Masked(GpuOf(ctx).checks().Take(
      [late, tell](int64_t a, int64_t b) { tell(late, a, b); }));
}

void CheckIssued(const KernelContext& ctx) {
  CudaMaskedChecks* masked = CudaMaskedChecks::Current();
  if (masked && !masked->taken.empty()) {
    Status told = TellMasked(ctx, *masked);
    if (!told.ok()) masked->status = told;
  }
  if (CudaRecordingScope::Current()) return;
  GpuOf(ctx).checks().Issued(*ctx.stream());
}

Result<Array> ScratchFor(const KernelContext& ctx, int64_t bytes) {
  const CudaRecordingScope* recording = CudaRecordingScope::Current();
  // Launches of a recording run sequentially: they share slots. A slot that the
  // current launch still holds is not reused.
  if (recording) {
    for (const Array& there : *recording->kept) {
      if (there.bytes() >= bytes && there.unique()) return there;
    }
  }
  SL_ASSIGN_OR_RETURN(
      Array space,
      Array::Make(DType::kU8, {bytes}, GpuOf(ctx).memory().allocator()));
  if (recording) recording->kept->push_back(space);
  return space;
}

Status NotServed() { return Unimplemented("no kernel of the GPU serves this"); }

}  // namespace sluice
