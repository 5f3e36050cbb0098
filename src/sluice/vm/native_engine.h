// NativeEngine: generates machine code from a NativeSource. Engines are
// separate libraries (libsluice_llvm.so from vm/llvm), opened when the first
// program is hot, so that programs do not depend on the libraries of the
// engines.
//
// One engine per process, alive until its end. Thread safe.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sluice/base/status.h"
#include "sluice/vm/native_source.h"

namespace sluice {

// The table that sluice_native_engine() of libsluice_llvm.so returns.
struct NativeEngine {
  // Changes with the engine's input format: an engine of another build is
  // refused.
  static constexpr int kVersion = 1000 * static_cast<int>(Do::kNative) +
                                  static_cast<int>(sizeof(NativeInstr));
  int version = 0;
  const char* name = "";
  // Compiles one function per entry, in the order of procedures and their
  // entries. Returns the resources of the code, which stay until Release; null
  // with the reason in `why` on failure.
  void* (*compile)(const NativeSource& source, std::vector<NativeFn>& functions,
                   std::string& why) = nullptr;
  void (*release)(void* code) = nullptr;
};

// Code made by an engine; freed with the last program that uses it.
struct NativeBinary {
  ~NativeBinary();
  const NativeEngine* engine = nullptr;
  void* code = nullptr;
  std::unique_ptr<const NativeSource> source;  // the code reads its params
  std::vector<NativeFn> functions;
  double seconds = 0;  // compile time
};

// Compiles in the caller's thread, or returns code shared with other programs.
Result<std::shared_ptr<const NativeBinary>> CompileNative(NativeSource source);
// Returns shared code only; null if there is none.
std::shared_ptr<const NativeBinary> FindNative(const NativeSource& source);

// The engine; opened by the first call.
Result<const NativeEngine*> TheNativeEngine();

}  // namespace sluice
