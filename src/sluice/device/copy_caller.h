// CopyCaller: the caller on whose behalf this thread issues copies, and the
// callback for copies that fail later. Without one, an error waits in the
// stream for the next thread that synchronizes it, and does not name the user's
// line.
//
// Lives on the stack, around the issuing call. Scopes nest; the innermost one
// is used. The callback is called on the thread that does the device's work,
// once for each failed copy.
#pragma once

#include <functional>
#include <utility>

#include "sluice/base/status.h"

namespace sluice {

// Receives the error of a failed copy and returns the error for readers of its
// target, usually the same with more lines.
using CopyFailed = std::function<Status(const Status&)>;

class CopyCaller {
 public:
  CopyCaller() : outer_(std::exchange(current_, this)) {}
  virtual ~CopyCaller() { current_ = outer_; }
  CopyCaller(const CopyCaller&) = delete;
  CopyCaller& operator=(const CopyCaller&) = delete;

  // The callback for a copy issued now; null if there is none.
  static CopyFailed Current() {
    return current_ ? current_->Failed() : CopyFailed();
  }

 protected:
  virtual CopyFailed Failed() const = 0;
  // The callback of the enclosing scope.
  CopyFailed Outer() const { return outer_ ? outer_->Failed() : CopyFailed(); }

 private:
  static inline constinit thread_local CopyCaller* current_ = nullptr;
  CopyCaller* const outer_;
};

}  // namespace sluice
