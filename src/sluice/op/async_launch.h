// AsyncLaunch: the launch of an asynchronous kernel on this thread, for the
// case that it throws. A kernel that throws has not kept its context and will
// not call Done(); but one that has made a reply of it (state/kernel_glue.h)
// may have left that with somebody, and a reply is always answered, if only
// when it is dropped. Lives on the launching thread's stack.
#pragma once

#include <utility>

namespace sluice {

class AsyncLaunch {
 public:
  AsyncLaunch() : outer_(std::exchange(current_, this)) {}
  ~AsyncLaunch() { current_ = outer_; }
  AsyncLaunch(const AsyncLaunch&) = delete;
  AsyncLaunch& operator=(const AsyncLaunch&) = delete;

  // Whether somebody else answers now.
  bool kept() const { return kept_; }
  static void Keep() {
    if (current_) current_->kept_ = true;
  }

 private:
  static inline thread_local AsyncLaunch* current_ = nullptr;
  AsyncLaunch* outer_;
  bool kept_ = false;
};

}  // namespace sluice
