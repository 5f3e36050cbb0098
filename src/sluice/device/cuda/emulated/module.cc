#include "sluice/device/cuda/emulated/module.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "sluice/base/strings.h"
#include "sluice/device/cuda/emulated/forever.h"

namespace sluice::emulated {

namespace {

constexpr std::string_view kMagic = "sluice emulated\n";
// Behind the shared memory that a kernel asked for: nobody may write there.
constexpr size_t kFence = 1024;
constexpr unsigned char kFenceByte = 0xa5;

// The path of a new file with these bytes.
Result<std::string> WriteTemporary(std::string_view bytes) {
  const char* folder = std::getenv("TMPDIR");
  std::string path =
      StrCat(folder && *folder ? folder : "/tmp", "/sluice-module-XXXXXX");
  int file = mkstemp(path.data());
  if (file < 0) return Internal(StrCat("cannot write ", path));
  bool whole = true;
  while (whole && !bytes.empty()) {
    ssize_t n = write(file, bytes.data(), bytes.size());
    whole = n > 0;
    if (whole) bytes.remove_prefix(static_cast<size_t>(n));
  }
  close(file);
  if (whole) return path;
  unlink(path.c_str());
  return Internal(StrCat("cannot write ", path));
}

}  // namespace

std::string MakeImage(std::string_view shared_object) {
  std::string image(kMagic);
  uint64_t size = shared_object.size();
  image.append(reinterpret_cast<const char*>(&size), sizeof size);
  image += shared_object;
  return image;
}

Result<Module*> Module::Load(const char* image) {
  if (std::memcmp(image, kMagic.data(), kMagic.size()) != 0) {
    return Internal("this is no kernel for the emulated GPU");
  }
  uint64_t size = 0;
  std::memcpy(&size, image + kMagic.size(), sizeof size);
  std::string_view bytes(image + kMagic.size() + sizeof size, size);
  SL_ASSIGN_OR_RETURN(std::string path, WriteTemporary(bytes));
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  std::string why = library ? "" : dlerror();
  unlink(path.c_str());
  if (!library) return Internal(StrCat("loading emulated kernels: ", why));
  auto symbol = [&](const char* name) { return dlsym(library, name); };
  auto* host = static_cast<const Host**>(symbol("sl_host"));
  auto* shared = static_cast<unsigned char* const*>(symbol("sl_static_shared"));
  auto* dynamic = static_cast<unsigned char*>(symbol("sl_dynamic_shared"));
  auto* dynamic_bytes =
      static_cast<const unsigned long*>(symbol("sl_dynamic_shared_bytes"));
  if (!host || !shared || !dynamic || !dynamic_bytes) {
    return Internal("an emulated kernel lacks what the emulation adds");
  }
  auto* module = Forever(new Module);
  module->library_ = library;
  module->static_shared_ = {shared[0],
                            static_cast<size_t>(shared[1] - shared[0])};
  module->dynamic_shared_ = {dynamic, *dynamic_bytes};
  *host = &Block::TheHost();
  return module;
}

KernelInModule* Module::Find(const std::string& name) {
  MutexLock lock(mu_);
  auto& kernel = kernels_[name];
  if (kernel) return kernel.get();
  auto run = reinterpret_cast<KernelFn>(
      dlsym(library_, StrCat("sl_kernel_", name).c_str()));
  auto* bytes = static_cast<const unsigned long*>(
      dlsym(library_, StrCat("sl_args_bytes_", name).c_str()));
  if (!run || !bytes) return nullptr;
  kernel = std::make_unique<KernelInModule>();
  kernel->name = name;
  kernel->run = run;
  kernel->args_bytes = *bytes;
  kernel->module = this;
  return kernel.get();
}

std::vector<const KernelInModule*> Module::kernels() {
  MutexLock lock(mu_);
  std::vector<const KernelInModule*> all;
  for (const auto& [name, kernel] : kernels_) {
    if (kernel) all.push_back(kernel.get());
  }
  return all;
}

Status Module::RunGrid(KernelInModule& kernel, const void* args,
                       const Dim3& grid, const Dim3& block,
                       size_t dynamic_shared) {
  // Also guards the state that Block::TheHost gives.
  static auto& one_at_a_time = *new Mutex;
  static auto& runner SL_GUARDED_BY(one_at_a_time) = *new Block;
  MutexLock lock(one_at_a_time);
  const Bytes& fixed = kernel.module->static_shared_;
  const Bytes& dynamic = kernel.module->dynamic_shared_;
  Host& host = Block::TheHost();
  host.grid_size = grid;
  host.block_size = block;
  kernel.most_threads =
      std::max<unsigned>(kernel.most_threads, block.x * block.y * block.z);
  std::string where = StrCat("the emulated kernel ", kernel.name, ", ");
  if (dynamic_shared + kFence > dynamic.size) {
    return Internal(StrCat(where, "asks for ", dynamic_shared,
                           " bytes of shared memory; wanted at most ",
                           dynamic.size - kFence));
  }
  unsigned char* fence = dynamic.begin + dynamic_shared;
  std::memset(fence, kFenceByte, kFence);
  for (unsigned z = 0; z < grid.z; ++z) {
    for (unsigned y = 0; y < grid.y; ++y) {
      for (unsigned x = 0; x < grid.x; ++x) {
        host.block = {x, y, z};
        std::fill_n(fixed.begin, fixed.size, kUnwritten);
        std::fill_n(dynamic.begin, dynamic_shared, kUnwritten);
        Status ran = runner.Run(kernel.run, args);
        if (!ran.ok()) return Status(ran.code(), StrCat(where, ran.message()));
      }
    }
  }
  if (std::all_of(fence, fence + kFence,
                  [](unsigned char b) { return b == kFenceByte; })) {
    return OkStatus();
  }
  return Internal(StrCat(where, "writes behind its ", dynamic_shared,
                         " bytes of dynamic shared memory"));
}

}  // namespace sluice::emulated
