// Module: a loaded module of kernels compiled for the emulated GPU (by
// kernels/cuda/emulated_compiler); it runs a kernel over its whole grid.
//
// Lives as long as the process, like all loaded code. Thread safe: one kernel
// runs at a time.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/status.h"
#include "sluice/base/thread_annotations.h"
#include "sluice/device/cuda/emulated/block.h"

namespace sluice::emulated {

// An image for cuModuleLoadData: a shared object preceded by its size, because
// loading receives only the start address.
std::string MakeImage(std::string_view shared_object);

class Module;

struct KernelInModule {
  std::string name;
  KernelFn run = nullptr;
  size_t args_bytes = 0;
  // The maximum dynamic shared memory, with the default of a GPU: a larger
  // amount must be requested.
  size_t most_dynamic_shared = size_t{48} << 10;
  // Per block, maximum over all launches.
  std::atomic<unsigned> most_threads = 0;
  Module* module = nullptr;
};

class Module {
 public:
  // `image`: from MakeImage. Error: not an image, or it cannot be loaded.
  static Result<Module*> Load(const char* image);
  // Null: there is no kernel of this name. The address is stable.
  KernelInModule* Find(const std::string& name) SL_EXCLUDES(mu_);

  // The kernels that were looked up.
  std::vector<const KernelInModule*> kernels() SL_EXCLUDES(mu_);

  // Runs all blocks, one after another. `args`: a copy of the kernel's
  // arguments.
  static Status RunGrid(KernelInModule& kernel, const void* args,
                        const Dim3& grid, const Dim3& block,
                        size_t dynamic_shared);

 private:
  // The static shared memory of the module.
  struct Bytes {
    unsigned char* begin = nullptr;
    size_t size = 0;
  };

  void* library_ = nullptr;
  Bytes static_shared_, dynamic_shared_;
  Mutex mu_;
  std::map<std::string, std::unique_ptr<KernelInModule>> kernels_
      SL_GUARDED_BY(mu_);
};

}  // namespace sluice::emulated
