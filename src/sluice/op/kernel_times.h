// KernelTimes: a profile of host kernels: their time by op and by user line,
// with their arithmetic and the bytes they access. Code that runs a kernel
// wraps it in a TimedKernel: imperative mode, steps, islands and loops.
//
// One profile at a time per process; from any thread. Without a profile, a
// kernel pays for one load.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sluice/base/source_line.h"
#include "sluice/base/status.h"
#include "sluice/tensor/array.h"

namespace sluice {

class Attrs;
struct OpRecord;

class KernelTimes {
 public:
  struct Row {
    std::string op;
    SourceLine line;  // unknown: no user line
    int64_t calls = 0;
    double seconds = 0;         // excluding nested kernels
    double caller_seconds = 0;  // the part on the thread that called Begin
    double flops = 0;
    int64_t bytes = 0;  // of inputs and outputs
  };

  // FailedPrecondition: a profile is already running.
  static Status Begin();
  // Ends the profile. The rows, by decreasing time. REQUIRES: Begin() before.
  static std::vector<Row> End();
  static bool active() { return active_.load(std::memory_order_relaxed); }

 private:
  friend class TimedKernel;
  static void Add(const std::string& op, const SourceLine& line, double seconds,
                  double flops, int64_t bytes);
  static constinit std::atomic<bool> active_;
};

// Sets the line of kernels that have none of their own. On the stack.
class [[nodiscard]] KernelsOfLine {
 public:
  explicit KernelsOfLine(const SourceLine& line) {
    if (KernelTimes::active()) [[unlikely]]
      Enter(line);
  }
  ~KernelsOfLine() {
    if (entered_) [[unlikely]]
      Leave();
  }
  KernelsOfLine(const KernelsOfLine&) = delete;
  KernelsOfLine& operator=(const KernelsOfLine&) = delete;

 private:
  void Enter(const SourceLine& line);
  void Leave();

  bool entered_ = false;
  const SourceLine* outer_ = nullptr;
};

// Times one kernel, on the stack. Excludes the time of nested kernels.
class [[nodiscard]] TimedKernel {
 public:
  // Both must stay valid and unchanged for the object's lifetime.
  TimedKernel(const std::string& op, const SourceLine& line) {
    if (KernelTimes::active()) [[unlikely]]
      Start(op, line);
  }
  ~TimedKernel() {
    if (op_) [[unlikely]]
      Stop();
  }
  TimedKernel(const TimedKernel&) = delete;
  TimedKernel& operator=(const TimedKernel&) = delete;

  // Ends the timing and reports the work that the kernel has done.
  void Did(const OpRecord& op, const Attrs& attrs,
           std::span<const Array> inputs, std::span<const Array> outputs) {
    if (op_) [[unlikely]]
      Count(op, attrs, inputs, outputs);
  }
  void Did(double flops, int64_t bytes) {
    if (op_) [[unlikely]]
      Count(flops, bytes);
  }

 private:
  void Start(const std::string& op, const SourceLine& line);
  void Stop();
  void Count(const OpRecord& op, const Attrs& attrs,
             std::span<const Array> inputs, std::span<const Array> outputs);
  void Count(double flops, int64_t bytes);

  const std::string* op_ = nullptr;  // null: no profile
  SourceLine line_;
  TimedKernel* outer_ = nullptr;
  int64_t start_ = 0, end_ = 0;  // NowNanos(); no end: Did not called
  int64_t inside_ = 0;           // nanoseconds of nested kernels
  double flops_ = 0;
  int64_t bytes_ = 0;
};

}  // namespace sluice
