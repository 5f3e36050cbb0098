// The LLVM engine: libsluice_llvm.so. Modules are optimized by the few passes
// that scalar loops benefit from and compiled by ORC, one at a time; the code
// of each program can be freed separately. If SLUICE_JIT_PRINT is set, the
// optimized LLVM IR is printed to stderr.
#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Orc.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "sluice/base/thread_annotations.h"
#include "sluice/vm/llvm/ir_writer.h"
#include "sluice/vm/native_engine.h"

namespace sluice {

namespace {

// Cells become registers, blocks are merged, loops test at their end. No pass
// rewrites arithmetic: results have the bits of the machine's.
constexpr char kPasses[] =
    "function(sroa,early-cse,simplifycfg,loop(loop-rotate),simplifycfg,"
    "early-cse,dce)";

std::string TextOf(LLVMErrorRef error) {
  char* text = LLVMGetErrorMessage(error);
  std::string copy = text;
  LLVMDisposeErrorMessage(text);
  return copy;
}

class Engine {
 public:
  // Never destroyed: compiled code may run until the very end.
  static Engine& The() {
    static Engine& engine = *new Engine;
    return engine;
  }

  void* Compile(const NativeSource& source, std::vector<NativeFn>& functions,
                std::string& why) {
    MutexLock lock(mu_);
    if (over_) {
      why = "the process ends";
      return nullptr;
    }
    if (!Start(why)) return nullptr;
    std::vector<std::string> names;
    LLVMOrcThreadSafeModuleRef module = Write(source, names, why);
    if (!module) return nullptr;
    LLVMOrcResourceTrackerRef tracker =
        LLVMOrcJITDylibCreateResourceTracker(LLVMOrcLLJITGetMainJITDylib(jit_));
    LLVMErrorRef error =
        LLVMOrcLLJITAddLLVMIRModuleWithRT(jit_, tracker, module);
    for (size_t k = 0; !error && k < names.size(); ++k) {
      LLVMOrcExecutorAddress address = 0;
      error = LLVMOrcLLJITLookup(jit_, &address, names[k].c_str());
      functions.push_back(reinterpret_cast<NativeFn>(address));
    }
    if (!error) return tracker;
    why = TextOf(error);
    Remove(tracker);
    functions.clear();
    return nullptr;
  }

  void Release(void* code) {
    MutexLock lock(mu_);
    if (!over_) Remove(static_cast<LLVMOrcResourceTrackerRef>(code));
  }

  // LLVM's static objects are about to be destroyed.
  void End() {
    MutexLock lock(mu_);
    over_ = true;
  }

 private:
  // Once. False, with the reason in `why`, if LLVM cannot generate code for
  // this machine.
  bool Start(std::string& why) SL_REQUIRES(mu_) {
    if (jit_) return true;
    if (LLVMInitializeNativeTarget() || LLVMInitializeNativeAsmPrinter()) {
      why = "LLVM does not know this machine";
      return false;
    }
    LLVMOrcJITTargetMachineBuilderRef host = nullptr;
    LLVMErrorRef error = LLVMOrcJITTargetMachineBuilderDetectHost(&host);
    if (!error) {
      LLVMOrcLLJITBuilderRef builder = LLVMOrcCreateLLJITBuilder();
      LLVMOrcLLJITBuilderSetJITTargetMachineBuilder(builder, host);
      error = LLVMOrcCreateLLJIT(&jit_, builder);
    }
    if (error) why = TextOf(error);
    return !error;
  }

  LLVMOrcThreadSafeModuleRef Write(const NativeSource& source,
                                   std::vector<std::string>& names,
                                   std::string& why) SL_REQUIRES(mu_) {
    LLVMOrcThreadSafeContextRef context = LLVMOrcCreateNewThreadSafeContext();
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext(
        "program", LLVMOrcThreadSafeContextGetContext(context));
    LLVMSetTarget(module, LLVMOrcLLJITGetTripleString(jit_));
    LLVMSetDataLayout(module, LLVMOrcLLJITGetDataLayoutStr(jit_));
    for (const NativeProcedure& p : source.procedures) {
      LiveCells live(p);
      for (const NativeEntry& entry : p.entries) {
        names.push_back("f" + std::to_string(made_++));
        WriteFunction(module, names.back(), p, live, entry);
      }
    }
    char* problem = nullptr;
    bool broken = LLVMVerifyModule(module, LLVMReturnStatusAction, &problem);
    if (broken) why = problem;
    LLVMDisposeMessage(problem);
    if (!broken) {
      LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
      if (LLVMErrorRef error =
              LLVMRunPasses(module, kPasses, nullptr, options)) {
        why = TextOf(error);
        broken = true;
      }
      LLVMDisposePassBuilderOptions(options);
    }
    if (std::getenv("SLUICE_JIT_PRINT")) {
      char* text = LLVMPrintModuleToString(module);
      std::fputs(text, stderr);
      LLVMDisposeMessage(text);
    }
    LLVMOrcThreadSafeModuleRef made = nullptr;
    if (broken) {
      LLVMDisposeModule(module);
    } else {
      made = LLVMOrcCreateNewThreadSafeModule(module, context);
    }
    LLVMOrcDisposeThreadSafeContext(context);  // the module also holds it
    return made;
  }

  static void Remove(LLVMOrcResourceTrackerRef tracker) {
    if (LLVMErrorRef error = LLVMOrcResourceTrackerRemove(tracker)) {
      LLVMConsumeError(error);
    }
    LLVMOrcReleaseResourceTracker(tracker);
  }

  Mutex mu_;
  LLVMOrcLLJITRef jit_ SL_GUARDED_BY(mu_) = nullptr;
  uint64_t made_ SL_GUARDED_BY(mu_) = 0;
  bool over_ SL_GUARDED_BY(mu_) = false;
};

// Created after LLVM's static objects, so destroyed before them: waits for a
// running compilation.
struct AtEnd {
  AtEnd() { Engine::The(); }
  ~AtEnd() { Engine::The().End(); }
} at_end;

}  // namespace

}  // namespace sluice

extern "C" __attribute__((visibility("default"))) const sluice::NativeEngine*
sluice_native_engine() {
  using namespace sluice;
  static const NativeEngine engine = {
      NativeEngine::kVersion, "LLVM",
      [](const NativeSource& source, std::vector<NativeFn>& functions,
         std::string& why) {
        return Engine::The().Compile(source, functions, why);
      },
      [](void* code) { Engine::The().Release(code); }};
  return &engine;
}
