#include <cstring>
#include <memory>
#include <vector>

#include "sluice/device/cuda/emulated/driver_parts.h"
#include "sluice/device/cuda/emulated/driver_table.h"
#include "sluice/device/cuda/emulated/module.h"

namespace sluice::emulated {

namespace {

constexpr unsigned kMostBlocks = 65535;  // along y and z

Module& Of(CUmodule module) { return *reinterpret_cast<Module*>(module); }
KernelInModule& Of(CUfunction f) {
  return *reinterpret_cast<KernelInModule*>(f);
}

CUresult ModuleLoadData(CUmodule* module, const void* image) {
  Result<Module*> loaded = Module::Load(static_cast<const char*>(image));
  if (!loaded.ok()) return CUDA_ERROR_INVALID_IMAGE;
  *module = reinterpret_cast<CUmodule>(*loaded);
  return CUDA_SUCCESS;
}
CUresult ModuleGetFunction(CUfunction* function, CUmodule module,
                           const char* name) {
  KernelInModule* found = Of(module).Find(name);
  *function = reinterpret_cast<CUfunction>(found);
  return found ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}
CUresult FuncSetAttribute(CUfunction function, CUfunction_attribute what,
                          int value) {
  if (what != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) {
    return CUDA_SUCCESS;  // a hint
  }
  if (value < 0 || value > kMostShared) return CUDA_ERROR_INVALID_VALUE;
  Of(function).most_dynamic_shared = static_cast<size_t>(value);
  return CUDA_SUCCESS;
}
CUresult LaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
                      unsigned grid_z, unsigned block_x, unsigned block_y,
                      unsigned block_z, unsigned shared, CUstream stream,
                      void** params, void** extra) {
  KernelInModule& kernel = Of(function);
  uint64_t threads = uint64_t{block_x} * block_y * block_z;
  if (extra || threads == 0 || threads > kMostThreads || grid_x == 0 ||
      grid_x > 0x7fffffffu || grid_y == 0 || grid_y > kMostBlocks ||
      grid_z == 0 || grid_z > kMostBlocks ||
      shared > kernel.most_dynamic_shared) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const char* args = static_cast<const char*>(params[0]);
  // The kernel may be about lines of 64 bytes of its arguments.
  struct alignas(64) Line {
    char bytes[64];
  };
  auto kept =
      std::make_shared<std::vector<Line>>(kernel.args_bytes / sizeof(Line) + 1);
  std::memcpy(kept->data(), args, kernel.args_bytes);
  return AddWork(stream, [=, &kernel] {
    Status ran = Module::RunGrid(kernel, kept->data(), {grid_x, grid_y, grid_z},
                                 {block_x, block_y, block_z}, shared);
    if (!ran.ok()) Failure::Get().Set(ran.message());
  });
}
// One work is over before the next begins, whatever the launch would allow.
CUresult LaunchKernelEx(const CUlaunchConfig* config, CUfunction function,
                        void** params, void** extra) {
  return LaunchKernel(function, config->gridDimX, config->gridDimY,
                      config->gridDimZ, config->blockDimX, config->blockDimY,
                      config->blockDimZ, config->sharedMemBytes,
                      config->hStream, params, extra);
}

}  // namespace

std::vector<KernelUse> KernelsOf(CUmodule module) {
  std::vector<KernelUse> uses;
  for (const KernelInModule* kernel : Of(module).kernels()) {
    uses.push_back({kernel->name, kernel->most_threads});
  }
  return uses;
}

void FillKernels(CudaDriver& driver) {
  driver.cuModuleLoadData = ModuleLoadData;
  driver.cuModuleGetFunction = ModuleGetFunction;
  driver.cuFuncSetAttribute = FuncSetAttribute;
  driver.cuLaunchKernel = LaunchKernel;
  driver.cuLaunchKernelEx = LaunchKernelEx;
}

}  // namespace sluice::emulated
