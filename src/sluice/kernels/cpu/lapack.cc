#include "sluice/kernels/cpu/lapack.h"

#include <dlfcn.h>

#include <cstdlib>
#include <string_view>

namespace sluice {

namespace {

template <class F>
bool Get(void* library, std::string_view letter, std::string_view name,
         F* out) {
  std::string symbol = std::string(letter).append(name).append("_");
  *out = reinterpret_cast<F>(dlsym(library, symbol.c_str()));
  return *out != nullptr;
}

template <class T>
bool GetAll(void* library, std::string_view letter, LapackRoutines<T>* r) {
  return Get(library, letter, "getrf", &r->getrf) &&
         Get(library, letter, "getri", &r->getri) &&
         Get(library, letter, "getrs", &r->getrs) &&
         Get(library, letter, "potrf", &r->potrf) &&
         Get(library, letter, "trsm", &r->trsm) &&
         Get(library, letter, "gemm", &r->gemm) &&
         Get(library, letter, "gelqf", &r->gelqf) &&
         Get(library, letter, "orglq", &r->orglq) &&
         Get(library, letter, "gesdd", &r->gesdd) &&
         Get(library, letter, "syevd", &r->syevd) &&
         Get(library, letter, "geev", &r->geev) &&
         Get(library, letter, "gelsd", &r->gelsd);
}

}  // namespace

bool OpenLapack(const std::string& library, Lapack* out) {
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) return false;
  if (!GetAll(handle, "s", &out->f32) || !GetAll(handle, "d", &out->f64)) {
    dlclose(handle);
    return false;
  }
  // Functions that only OpenBLAS has.
  using SetThreads = void (*)(int);
  using GetParallel = int (*)();
  auto set =
      reinterpret_cast<SetThreads>(dlsym(handle, "openblas_set_num_threads"));
  if (set) set(1);
  auto parallel =
      reinterpret_cast<GetParallel>(dlsym(handle, "openblas_get_parallel"));
  if (parallel) out->concurrent = parallel() != 0;
  out->library = library;
  return true;  // never closed: its threads cannot be stopped
}

const Lapack* FindLapack() {
  static const Lapack* found = []() -> const Lapack* {
    auto* lapack = new Lapack;
    if (const char* chosen = std::getenv("SLUICE_LAPACK")) {
      if (OpenLapack(chosen, lapack)) return lapack;
    } else {
      for (const char* name : {"libopenblas.so.0", "libopenblas.so",
                               "liblapack.so.3", "liblapack.so"}) {
        if (OpenLapack(name, lapack)) return lapack;
      }
    }
    delete lapack;
    return nullptr;
  }();
  return found;
}

}  // namespace sluice
