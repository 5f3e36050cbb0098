// Whether imperative calls are recorded for gradients, on this thread.
//
//   { sl::NoGrad off;  w.sub_(0.1f * w.grad()); }     // an update
//
// and whether they stop at the first result that is NaN or infinite:
//
//   sl::NanTrap trap;     // throws: the op, its line, its inputs
#pragma once

#include <utility>

namespace sluice {

class Device;

namespace front_internal {
struct EagerMode {
  bool grad = true;
  bool nan_trap = false;
  // Where tensors that are made of no other tensor go; null: the host.
  Device* device = nullptr;
  static EagerMode& Current();
};
}  // namespace front_internal

class [[nodiscard]] GradModeScope {
 public:
  explicit GradModeScope(bool enabled)
      : saved_(std::exchange(front_internal::EagerMode::Current().grad,
                             enabled)) {}
  ~GradModeScope() { front_internal::EagerMode::Current().grad = saved_; }
  GradModeScope(const GradModeScope&) = delete;
  GradModeScope& operator=(const GradModeScope&) = delete;

 private:
  bool saved_;
};

class [[nodiscard]] NoGrad : GradModeScope {
 public:
  NoGrad() : GradModeScope(false) {}
};

// Inside a NoGrad, recorded again.
class [[nodiscard]] EnableGrad : GradModeScope {
 public:
  EnableGrad() : GradModeScope(true) {}
};

class [[nodiscard]] NanTrap {
 public:
  NanTrap()
      : saved_(std::exchange(front_internal::EagerMode::Current().nan_trap,
                             true)) {}
  ~NanTrap() { front_internal::EagerMode::Current().nan_trap = saved_; }
  NanTrap(const NanTrap&) = delete;
  NanTrap& operator=(const NanTrap&) = delete;

 private:
  bool saved_;
};

}  // namespace sluice
