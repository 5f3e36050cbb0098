// Direct reads of the memory of another process on this host: one copy, from
// the tensor to its destination. The system permits this between processes of
// one user; otherwise tensors go over the network.
//
// Plain functions, thread safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>

#include "sluice/cluster/messages.h"

namespace sluice::cluster {

// Fills in how other processes identify this one's memory.
void DescribeOwnMemory(Hello* hello);

// Whether the process of the hello is on this host and may be read; verifies
// the proof in its memory.
bool CanReadMemoryOf(const Hello& hello);

// A word of this process that tells whether some memory is still valid: it is
// set before anyone learns of the memory, and cleared before the memory may be
// reused. Readers check the word after they have read the memory.
class MemoryGuard {
 public:
  MemoryGuard() = default;
  // Without an address if there are too many.
  static MemoryGuard Take();
  MemoryGuard(MemoryGuard&& o) noexcept { *this = std::move(o); }
  MemoryGuard& operator=(MemoryGuard&& o) noexcept {
    std::swap(word_, o.word_);
    std::swap(value_, o.value_);
    return *this;
  }
  ~MemoryGuard();
  uint64_t address() const;  // 0: none
  uint64_t value() const { return value_; }

 private:
  std::atomic<uint64_t>* word_ = nullptr;
  uint64_t value_ = 0;
};

// Error: the process is gone or denies access.
Status ReadMemoryOf(int64_t process, uint64_t address, void* to, size_t size);

}  // namespace sluice::cluster
