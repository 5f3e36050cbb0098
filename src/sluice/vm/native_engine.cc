#include "sluice/vm/native_engine.h"

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cstdlib>
#include <unordered_map>
#include <utility>

#include "sluice/base/clock.h"
#include "sluice/base/strings.h"
#include "sluice/base/thread_annotations.h"

namespace sluice {

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

Result<const NativeEngine*> Open() {
  std::vector<std::string> paths;
  std::string own = OwnFolder();
  if (const char* given = std::getenv("SLUICE_JIT_ENGINE")) {
    paths.push_back(given);
  } else {
    if (!own.empty()) {
      paths.push_back(own + "libsluice_llvm.so");
      paths.push_back(own + "../lib/libsluice_llvm.so");
    }
    paths.push_back("libsluice_llvm.so");
  }
  std::string why;
  for (const std::string& path : paths) {
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      StrAppend(why, why.empty() ? "" : "; ", dlerror());
      continue;
    }
    using Entry = const NativeEngine* (*)();
    auto* entry =
        reinterpret_cast<Entry>(dlsym(library, "sluice_native_engine"));
    if (!entry || entry()->version != NativeEngine::kVersion) {
      StrAppend(why, why.empty() ? "" : "; ", path, " is of another build");
      continue;
    }
    return entry();
  }
  return Unimplemented(StrCat("no engine: ", why));
}

// A forked child has no compiling threads but may have inherited their locks:
// it keeps compiled code, and compiles nothing more.
std::atomic<bool> forked{false};

bool Forked() {
  static const int registered =
      pthread_atfork(nullptr, nullptr, [] { forked = true; });
  (void)registered;
  return forked.load(std::memory_order_relaxed);
}

struct Known {
  Mutex mu;
  std::unordered_map<std::string, std::weak_ptr<const NativeBinary>> binaries
      SL_GUARDED_BY(mu);
};
// Never destroyed: a thread may compile until the end of the process.
Known& TheKnown() {
  static Known& known = *new Known;
  return known;
}

}  // namespace

Result<const NativeEngine*> TheNativeEngine() {
  if (Forked()) return Unimplemented("a forked process compiles nothing more");
  static const Result<const NativeEngine*>& opened =
      *new Result<const NativeEngine*>(Open());
  return opened;
}

NativeBinary::~NativeBinary() {
  if (code && !Forked()) engine->release(code);
}

std::shared_ptr<const NativeBinary> FindNative(const NativeSource& source) {
  if (Forked()) return nullptr;
  Known& known = TheKnown();
  MutexLock lock(known.mu);
  auto it = known.binaries.find(source.Key());
  return it == known.binaries.end() ? nullptr : it->second.lock();
}

Result<std::shared_ptr<const NativeBinary>> CompileNative(NativeSource source) {
  if (auto found = FindNative(source)) return found;
  SL_ASSIGN_OR_RETURN(const NativeEngine* engine, TheNativeEngine());
  auto binary = std::make_shared<NativeBinary>();
  binary->engine = engine;
  binary->source = std::make_unique<NativeSource>(std::move(source));
  std::string why;
  int64_t begin = NowNanos();
  binary->code = engine->compile(*binary->source, binary->functions, why);
  binary->seconds = static_cast<double>(NowNanos() - begin) * 1e-9;
  if (!binary->code) {
    return Internal(StrCat(engine->name, " compiles no such code: ", why));
  }
  Known& known = TheKnown();
  MutexLock lock(known.mu);
  std::erase_if(known.binaries,
                [](const auto& entry) { return entry.second.expired(); });
  known.binaries[binary->source->Key()] = binary;
  return std::shared_ptr<const NativeBinary>(binary);
}

}  // namespace sluice
