// CopyCaller: who issues copies on this thread, and what is to be told when one
// fails after it was issued. Without one an error waits in the stream for
// whoever synchronises it next, and says nothing of the user's line.
//
// On the stack, around the call that issues; they nest, and the innermost is
// asked. What it gives is called from whichever thread does the device's work,
// once for each copy that fails.
#pragma once

#include <functional>
#include <utility>

#include "sluice/base/status.h"

namespace sluice {

// Hears of a failed copy and gives the error that who reads what it should have
// written is told: the same with more lines, as a rule.
using CopyFailed = std::function<Status(const Status&)>;

class CopyCaller {
 public:
  CopyCaller() : outer_(std::exchange(current_, this)) {}
  virtual ~CopyCaller() { current_ = outer_; }
  CopyCaller(const CopyCaller&) = delete;
  CopyCaller& operator=(const CopyCaller&) = delete;

  // For a copy that is issued now; null when nobody asked.
  static CopyFailed Current() {
    return current_ ? current_->Failed() : CopyFailed();
  }

 protected:
  virtual CopyFailed Failed() const = 0;
  // That of the one around.
  CopyFailed Outer() const { return outer_ ? outer_->Failed() : CopyFailed(); }

 private:
  static inline constinit thread_local CopyCaller* current_ = nullptr;
  CopyCaller* const outer_;
};

}  // namespace sluice
