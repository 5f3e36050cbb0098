// Compiles source for a GPU at run time with NVRTC, which is opened on first
// use and needs no GPU.
//
// Thread safe.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sluice/base/status.h"
#include "sluice/kernels/cuda/embedded_text.h"

namespace sluice {

struct CompileResult {
  std::string cubin;
  std::string log;  // warnings, and register use reported by ptxas
};

// For compute capability `architecture` (90 for 9.0). Our headers are found by
// their names. Arithmetic is strict: no contraction or reordering. Errors: no
// NVRTC; compile errors. Compiles for the emulated GPU if that is enabled
// (device/cuda/emulated).
Result<CompileResult> CompileForGpu(const std::string& source, int architecture,
                                    bool report_registers = false);

// Uses NVRTC even if the emulated GPU is enabled.
Result<CompileResult> CompileWithNvrtc(const std::string& source,
                                       int architecture,
                                       bool report_registers = false);

// The headers that sources may include, by the names in include directives.
std::span<const EmbeddedText> KernelHeaders();

// A fingerprint of the headers that a source includes: it changes with any of
// them.
std::string HeadersFingerprint(std::string_view source);

// The version of NVRTC, for the cache key: "13.0". Error: no NVRTC.
Result<std::string> CompilerVersion();

}  // namespace sluice
