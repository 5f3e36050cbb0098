// Compiling source for a GPU at run time, by NVRTC, which is opened when it is
// first needed and needs no GPU.
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
  std::string log;  // warnings, and what ptxas says of registers
};

// For compute capability `architecture` (90 for 9.0). Our headers are found by
// their names; arithmetic is strict: what is written is what is computed.
// Errors: no NVRTC; what the compiler says. For the emulated GPU, where that is
// wanted (device/cuda/emulated).
Result<CompileResult> CompileForGpu(const std::string& source, int architecture,
                                    bool report_registers = false);

// By NVRTC whatever GPU is wanted.
Result<CompileResult> CompileWithNvrtc(const std::string& source,
                                       int architecture,
                                       bool report_registers = false);

// What sources may include, by the names they include it by.
std::span<const EmbeddedText> KernelHeaders();

// Of the headers that a source includes: another when one of them changes.
std::string HeadersFingerprint(std::string_view source);

// Of NVRTC, in the key of what is cached: "13.0". Error: there is none.
Result<std::string> CompilerVersion();

}  // namespace sluice
