#include "sluice/kernels/cuda/open_library.h"

#include <dlfcn.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "sluice/base/strings.h"
#include "sluice/device/cuda/emulated/driver_table.h"

namespace sluice {

Result<void*> OpenCudaLibrary(std::span<const char* const> names) {
  std::string_view first = names.front();
  if (emulated::Wanted() && !first.starts_with("libnvrtc")) {
    return Status(Code::kUnavailable,
                  StrCat("the emulated GPU has no library ", first));
  }
  std::vector<std::string> folders = {""};
  if (const char* chosen = std::getenv("SLUICE_CUDA_LIBRARIES")) {
    folders.insert(folders.begin(), StrCat(chosen, "/"));
  }
  const char* home = std::getenv("CUDA_HOME");
  for (const char* root : {home ? home : "", "/usr/local/cuda"}) {
    if (!*root) continue;
    folders.push_back(StrCat(root, "/lib64/"));
    folders.push_back(StrCat(root, "/lib/"));
  }
  for (const std::string& folder : folders) {
    for (const char* name : names) {
      std::string path = StrCat(folder, name);
      if (void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
        return library;
      }
    }
  }
  return Status(
      Code::kUnavailable,
      StrCat("there is no ", names.front(), " on this machine (", dlerror(),
             "); wanted CUDA's libraries on the library path, or in the folder "
             "that SLUICE_CUDA_LIBRARIES names"));
}

Result<void*> CudaLibraryFunction(void* library, const char* name) {
  void* function = dlsym(library, name);
  if (!function) {
    return Status(Code::kUnavailable,
                  StrCat("a CUDA library has no function ", name));
  }
  return function;
}

}  // namespace sluice
