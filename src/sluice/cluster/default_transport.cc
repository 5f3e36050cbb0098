// The transport of a program: gRPC, either linked in or in a separate library
// that is loaded on first use, so that programs without a cluster do not need
// gRPC.
#include <dlfcn.h>

#include <cstdlib>
#include <string>

#include "sluice/base/strings.h"
#include "sluice/cluster/transport.h"

extern "C" __attribute__((weak)) sluice::cluster::Transport*
sluice_grpc_transport();

namespace sluice::cluster {

namespace {

// The folder of the program or library that contains this code.
std::string OwnFolder() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<void*>(&OwnFolder), &info) || !info.dli_fname) {
    return "";
  }
  std::string path = info.dli_fname;
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

Result<Transport*> Load() {
  if (sluice_grpc_transport) return sluice_grpc_transport();
  std::vector<std::string> paths;
  if (const char* given = std::getenv("SLUICE_GRPC")) paths.push_back(given);
  std::string own = OwnFolder();
  if (!own.empty()) {
    paths.push_back(own + "libsluice_grpc.so");
    paths.push_back(own + "../lib/libsluice_grpc.so");
  }
  paths.push_back("libsluice_grpc.so");
  std::string why;
  for (const std::string& path : paths) {
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      StrAppend(why, "\n  ", dlerror());
      continue;
    }
    using Entry = Transport* (*)();
    if (auto* entry =
            reinterpret_cast<Entry>(dlsym(library, "sluice_grpc_transport"))) {
      return entry();
    }
    StrAppend(why, "\n  ", path, " is another library");
  }
  return Unimplemented(
      StrCat("this build of Sluice has no cluster part: gRPC was not there "
             "when it was built (Debian: libgrpc++-dev), or its library is "
             "not found now",
             why));
}

}  // namespace

Result<Transport*> DefaultTransport() {
  static const Result<Transport*> loaded = Load();
  return loaded;
}

}  // namespace sluice::cluster
