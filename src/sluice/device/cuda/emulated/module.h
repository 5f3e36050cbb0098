// Module: kernels compiled for the emulated GPU (kernels/cuda/emulated_compiler
// makes them), loaded; and how one is run over its whole grid.
//
// Lives as long as the process, as loaded code does. Thread safe: one kernel
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

// An image as cuModuleLoadData takes it: a shared object with its size before
// it, since loading is told nothing but where it begins.
std::string MakeImage(std::string_view shared_object);

class Module;

struct KernelInModule {
  std::string name;
  KernelFn run = nullptr;
  size_t args_bytes = 0;
  // What the kernel may be given beside what it declares, as a GPU has it:
  // more must be asked for.
  size_t most_dynamic_shared = size_t{48} << 10;
  std::atomic<unsigned> most_threads = 0;  // of a block, in all launches
  Module* module = nullptr;
};

class Module {
 public:
  // `image`: of MakeImage. Error: it is none, or cannot be loaded.
  static Result<Module*> Load(const char* image);
  // Null: it has none of this name. Stays where it is.
  KernelInModule* Find(const std::string& name) SL_EXCLUDES(mu_);

  // Those that have been asked for.
  std::vector<const KernelInModule*> kernels() SL_EXCLUDES(mu_);

  // All blocks, one after the other. `args`: a copy of the kernel's.
  static Status RunGrid(KernelInModule& kernel, const void* args,
                        const Dim3& grid, const Dim3& block,
                        size_t dynamic_shared);

 private:
  // What the module keeps in shared memory.
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
