// VmNative: the native form of one program. Notes how much the machine has done
// and, when that is enough to pay, has the program compiled in the background;
// from then on the machine enters compiled code where it comes by an entry.
//
// Belongs to a Bytecode, and to the job that compiles it. Thread safe.
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
  kDefault,  // what SLUICE_JIT says: 0, always, or kHot
  kNever,
  kHot,     // when the machine has done much, in the background
  kAlways,  // before anything runs, by the thread that builds; all that can be
};

class VmNative : public std::enable_shared_from_this<VmNative> {
 public:
  // The program's instructions with kNative at each entry, in the same places.
  struct Code {
    std::vector<std::vector<VmInstr>> tables;  // by procedure; empty: as it was
    std::shared_ptr<const NativeBinary> binary;

    const VmInstr* Table(const VmProcedure& p) const {
      const std::vector<VmInstr>& t = tables[static_cast<size_t>(p.number)];
      return t.empty() ? p.code.data() : t.data();
    }
  };

  // Null when it is switched off. `program` must live as long as machines use
  // the result.
  static std::shared_ptr<VmNative> For(const VmProgram& program,
                                       NativeChoice choice);

  // Null until it is compiled.
  const Code* code() const { return ready_.load(std::memory_order_acquire); }

  // The machine has made so many iterations and runs more without.
  void Note(int64_t trips);

  // A line: what was compiled and how long it took, or why not; none while the
  // program is cold.
  std::string Explain() const;

 private:
  enum class State : uint8_t { kCold, kAsked, kReady, kNever };

  void Ask(bool now);
  // Of the program, with entries where the source has them.
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
  bool found_ SL_GUARDED_BY(mu_) = false;  // somebody else had it compiled
  std::string why_ SL_GUARDED_BY(mu_);
};

}  // namespace sluice
