#include "sluice/kernels/cuda/nvrtc.h"

#include <nvrtc.h>

#include <vector>

#include "sluice/base/crc32c.h"
#include "sluice/base/source_line.h"
#include "sluice/base/strings.h"
#include "sluice/device/cuda/emulated/driver_table.h"
#include "sluice/kernels/cuda/embedded_text.h"
#include "sluice/kernels/cuda/emulated_compiler.h"
#include "sluice/kernels/cuda/joined_source.h"
#include "sluice/kernels/cuda/open_library.h"

namespace sluice {

namespace {

#define SL_NVRTC_FUNCTIONS(X) \
  X(nvrtcVersion)             \
  X(nvrtcCreateProgram)       \
  X(nvrtcCompileProgram)      \
  X(nvrtcDestroyProgram)      \
  X(nvrtcGetCUBINSize)        \
  X(nvrtcGetCUBIN)            \
  X(nvrtcGetProgramLogSize)   \
  X(nvrtcGetProgramLog)       \
  X(nvrtcGetErrorString)

struct Nvrtc {
#define SL_FIELD(name) decltype(&::name) name = nullptr;
  SL_NVRTC_FUNCTIONS(SL_FIELD)
#undef SL_FIELD
};

Result<const Nvrtc*> OpenNvrtc() {
  constexpr const char* kNames[] = {"libnvrtc.so.13", "libnvrtc.so.12",
                                    "libnvrtc.so"};
  SL_ASSIGN_OR_RETURN(void* library, OpenCudaLibrary(kNames));
  auto* nvrtc = new Nvrtc;
#define SL_LOAD(name) \
  SL_RETURN_IF_ERROR(LoadCudaFunction(library, #name, &nvrtc->name));
  SL_NVRTC_FUNCTIONS(SL_LOAD)
#undef SL_LOAD
  return nvrtc;
}

Result<const Nvrtc*> TheNvrtc() {
  static const auto& opened = *new Result<const Nvrtc*>(OpenNvrtc());
  return opened;
}

// The files that a source may include. Standard headers are one of ours.
struct Headers {
  std::vector<const char*> names, texts;
  std::vector<EmbeddedText> both;

  static const Headers& Get() {
    static const auto& headers = *new Headers;
    return headers;
  }
  Headers() {
    for (int i = 0; i < kNumEmbeddedTexts; ++i) {
      auto [name, text] = kEmbeddedTexts[i];
      if (name.find("/ops/") != name.npos) continue;
      constexpr std::string_view kOurs = "sluice/kernels/cuda/source/";
      if (name.starts_with(kOurs)) {
        name = InternString(StrCat("sluice/cuda/", name.substr(kOurs.size())));
      }
      Add(name.data(), text.data());
    }
    // Headers that ours replace.
    Add("sluice/tensor/dtype.h", "#include \"sluice/cuda/dtype.cuh\"\n");
    Add("sluice/kernels/cpu/isa.h", "#include \"sluice/cuda/isa.cuh\"\n");
    for (const char* name : {"array", "bit", "cmath", "complex", "cstdint",
                             "limits", "type_traits"}) {
      Add(name, "#include \"sluice/cuda/std.cuh\"\n");
    }
  }
  void Add(const char* name, const char* text) {
    names.push_back(name);
    texts.push_back(text);
    both.push_back({name, text});
  }
};

struct Program {
  const Nvrtc& nvrtc;
  nvrtcProgram handle = nullptr;
  explicit Program(const Nvrtc& n) : nvrtc(n) {}
  ~Program() {
    if (handle) nvrtc.nvrtcDestroyProgram(&handle);
  }
  std::string Log() const {
    size_t size = 0;
    nvrtc.nvrtcGetProgramLogSize(handle, &size);
    std::string log(size, '\0');
    if (size > 0) nvrtc.nvrtcGetProgramLog(handle, log.data());
    if (!log.empty()) log.pop_back();  // a zero
    return log;
  }
};

}  // namespace

std::span<const EmbeddedText> KernelHeaders() { return Headers::Get().both; }

std::string HeadersFingerprint(std::string_view source) {
  std::string_view first =
      emulated::Wanted() ? "sluice/cuda/emulation.cuh" : "";
  std::string text = JoinSource(source, first, KernelHeaders());
  return StrCat(Crc32c(text), "/", text.size());
}

Result<std::string> CompilerVersion() {
  if (emulated::Wanted()) return EmulatedCompilerVersion();
  SL_ASSIGN_OR_RETURN(const Nvrtc* nvrtc, TheNvrtc());
  int major = 0, minor = 0;
  nvrtc->nvrtcVersion(&major, &minor);
  return StrCat(major, ".", minor);
}

Result<CompileResult> CompileForGpu(const std::string& source, int architecture,
                                    bool report_registers) {
  if (!emulated::Wanted()) {
    return CompileWithNvrtc(source, architecture, report_registers);
  }
  CompileResult result;
  SL_ASSIGN_OR_RETURN(result.cubin, CompileEmulated(source, KernelHeaders()));
  return result;
}

Result<CompileResult> CompileWithNvrtc(const std::string& source,
                                       int architecture,
                                       bool report_registers) {
  SL_ASSIGN_OR_RETURN(const Nvrtc* nvrtc, TheNvrtc());
  const Headers& headers = Headers::Get();
  Program program(*nvrtc);
  auto error = [&](nvrtcResult result, std::string_view log) {
    return Internal(StrCat("compiling for the GPU: ",
                           nvrtc->nvrtcGetErrorString(result), "\n", log));
  };
  nvrtcResult made =
      nvrtc->nvrtcCreateProgram(&program.handle, source.c_str(), "kernel.cu",
                                static_cast<int>(headers.names.size()),
                                headers.texts.data(), headers.names.data());
  if (made != NVRTC_SUCCESS) return error(made, "");
  std::string arch = StrCat("--gpu-architecture=sm_", architecture);
  std::vector<const char*> options = {
      arch.c_str(), "--std=c++20", "--device-as-default-execution-space",
      // As on the host: a * b + c rounds twice unless the source requests one
      // rounding.
      "--fmad=false", "--prec-div=true", "--prec-sqrt=true", "--ftz=false",
      "--disable-warnings"};
  if (report_registers) options.push_back("--ptxas-options=-v");
  nvrtcResult compiled = nvrtc->nvrtcCompileProgram(
      program.handle, static_cast<int>(options.size()), options.data());
  CompileResult result;
  result.log = program.Log();
  if (compiled != NVRTC_SUCCESS) return error(compiled, result.log);
  size_t size = 0;
  nvrtc->nvrtcGetCUBINSize(program.handle, &size);
  result.cubin.resize(size);
  nvrtc->nvrtcGetCUBIN(program.handle, result.cubin.data());
  return result;
}

}  // namespace sluice
