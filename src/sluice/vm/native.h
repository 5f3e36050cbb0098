// VmNative: the native form of one program. It counts the work of the machine
// and compiles the program in the background once that is likely to pay. From
// then on the machine enters compiled code at its entries.
//
// Owned by a Bytecode and by the job that compiles it. Thread safe.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "sluice/base/thread_annotations.h"
#include "sluice/vm/native_engine.h"
#include "sluice/vm/program.h"

namespace sluice {

enum class NativeChoice : uint8_t {
  kDefault,  // as SLUICE_JIT says: 0, always, or kHot
  kNever,
  kHot,     // after much work, in the background
  kAlways,  // at build time, by the building thread; all code that can be
};

class VmNative : public std::enable_shared_from_this<VmNative> {
 public:
  // The instructions of the program with kNative at each entry; positions stay
  // the same.
  struct Code {
    std::vector<std::vector<VmInstr>> tables;  // by procedure; empty: unchanged
    std::shared_ptr<const NativeBinary> binary;

    const VmInstr* Table(const VmProcedure& p) const {
      const std::vector<VmInstr>& t = tables[static_cast<size_t>(p.number)];
      return t.empty() ? p.code.data() : t.data();
    }
  };

  // Null if switched off. `program` must live as long as machines use the
  // result.
  static std::shared_ptr<VmNative> For(const VmProgram& program,
                                       NativeChoice choice);

  // Null until compiled.
  const Code* code() const { return ready_.load(std::memory_order_acquire); }

  // The machine has run this many iterations without compiled code.
  void Note(int64_t trips);

  // One line: what was compiled and how long it took, or why not; empty while
  // the program is cold.
  std::string Explain() const;

 private:
  enum class State : uint8_t { kCold, kAsked, kReady, kNever };

  void Ask(bool now);
  // The code of the program with entries as in the source.
  std::unique_ptr<Code> Patched(const NativeSource& source) const;
  void Install(Result<std::shared_ptr<const NativeBinary>> made)
      SL_REQUIRES(mu_);

  const VmProgram* program_ = nullptr;
  std::atomic<const Code*> ready_{nullptr};
  std::atomic<int64_t> trips_{0};
  std::atomic<bool> asked_{false};

  mutable Mutex mu_;
  State state_ SL_GUARDED_BY(mu_) = State::kCold;
  std::unique_ptr<Code> code_ SL_GUARDED_BY(mu_);  // read freely once ready
  bool found_ SL_GUARDED_BY(mu_) = false;  // another program had it compiled
  std::string why_ SL_GUARDED_BY(mu_);
};

}  // namespace sluice
