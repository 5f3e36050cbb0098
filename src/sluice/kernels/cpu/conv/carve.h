// Divides a workspace into parts. Without a base it only adds up sizes, so that
// one function defines both the size that a record declares and the parts that
// a kernel uses. Lives on the stack of one thread.
#pragma once

#include <cstdint>

#include "sluice/base/checked_math.h"

namespace sluice {

class Carve {
 public:
  explicit Carve(void* base = nullptr) : base_(static_cast<char*>(base)) {}

  template <class T>
  T* Take(int64_t elements) {
    int64_t at = used_;
    used_ += AlignUp(elements * static_cast<int64_t>(sizeof(T)), 64);
    return base_ ? reinterpret_cast<T*>(base_ + at) : nullptr;
  }
  int64_t bytes() const { return used_; }

 private:
  char* base_;
  int64_t used_ = 0;
};

}  // namespace sluice
