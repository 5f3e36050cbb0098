// AsyncLaunch: the launch of an asynchronous kernel on this thread, in case it
// throws. A kernel that throws has not kept its context and will not call
// Done(). But if it has turned the context into a reply (state/kernel_glue.h),
// another object may hold that; a reply is always answered, at the latest when
// it is dropped. Lives on the launching thread's stack.
#pragma once

#include <utility>

namespace sluice {

class AsyncLaunch {
 public:
  AsyncLaunch() : outer_(std::exchange(current_, this)) {}
  ~AsyncLaunch() { current_ = outer_; }
  AsyncLaunch(const AsyncLaunch&) = delete;
  AsyncLaunch& operator=(const AsyncLaunch&) = delete;

  // Whether another object is now responsible for the answer.
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
