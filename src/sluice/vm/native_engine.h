// NativeEngine: makes machine code of a NativeSource. Engines are libraries of
// their own, opened when the first program is hot, so that no program needs
// what they are made of: libsluice_llvm.so, from vm/llvm.
//
// One engine per process, alive until its end. Thread safe.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sluice/base/status.h"
#include "sluice/vm/native_source.h"

namespace sluice {

// What libsluice_llvm.so gives: sluice_native_engine() returns one of these.
struct NativeEngine {
  // Changes with what an engine reads: one of another build is refused.
  static constexpr int kVersion = 1000 * static_cast<int>(Do::kNative) +
                                  static_cast<int>(sizeof(NativeInstr));
  int version = 0;
  const char* name = "";
  // One function per entry, in the order of procedures and their entries; what
  // the code needs stays until Release. Null, and `why`, when it cannot.
  void* (*compile)(const NativeSource& source, std::vector<NativeFn>& functions,
                   std::string& why) = nullptr;
  void (*release)(void* code) = nullptr;
};

// Code that an engine made; its memory goes with the last program that uses it.
struct NativeBinary {
  ~NativeBinary();
  const NativeEngine* engine = nullptr;
  void* code = nullptr;
  std::unique_ptr<const NativeSource>
      source;  // its params are read by the code
  std::vector<NativeFn> functions;
  double seconds = 0;  // that making it took
};

// Made now, by the caller's thread, or found among those that others use.
Result<std::shared_ptr<const NativeBinary>> CompileNative(NativeSource source);
// Only the latter; null when there is none.
std::shared_ptr<const NativeBinary> FindNative(const NativeSource& source);

// The engine, opened at the first call.
Result<const NativeEngine*> TheNativeEngine();

}  // namespace sluice
