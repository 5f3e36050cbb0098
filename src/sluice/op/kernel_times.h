// KernelTimes: how long kernels of the host took, by op and by the user's line,
// with the arithmetic they did and the bytes they touched, while somebody asks.
// Whatever runs a kernel says so by a TimedKernel around it: the imperative
// mode, steps, islands and loops alike.
//
// One profile at a time in a process; from any thread. While there is none a
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
    SourceLine line;  // not known: no line of the user's
    int64_t calls = 0;
    double seconds = 0;         // without kernels that ran inside of it
    double caller_seconds = 0;  // of those: on the thread that began
    double flops = 0;
    int64_t bytes = 0;  // of inputs and outputs
  };

  // FailedPrecondition: a profile is being made already.
  static Status Begin();
  // The rows, most seconds first. REQUIRES: Begin() before.
  static std::vector<Row> End();
  static bool active() { return active_.load(std::memory_order_relaxed); }

 private:
  friend class TimedKernel;
  static void Add(const std::string& op, const SourceLine& line, double seconds,
                  double flops, int64_t bytes);
  static constinit std::atomic<bool> active_;
};

// Kernels without a line of their own run for this one. On the stack.
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

// Around one kernel, on the stack. Time of kernels inside of it is theirs.
class [[nodiscard]] TimedKernel {
 public:
  // Both stay as they are meanwhile.
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

  // What the kernel has done, told when it is over: counted, not timed.
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

  const std::string* op_ = nullptr;  // null: nobody asks
  SourceLine line_;
  TimedKernel* outer_ = nullptr;
  int64_t start_ = 0, end_ = 0;  // NowNanos(); no end: not told
  int64_t inside_ = 0;           // nanoseconds of kernels inside
  double flops_ = 0;
  int64_t bytes_ = 0;
};

}  // namespace sluice
