// Memory of another process of this host, read directly: one copy, from where
// a tensor lies to where it is wanted. The system allows it between processes
// of one user (where it does not, tensors go by the network).
//
// Plain functions, thread safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>

#include "sluice/cluster/messages.h"

namespace sluice::cluster {

// What tells this process apart, for a Hello.
void DescribeOwnMemory(Hello* hello);

// Whether the process of the hello is on this host and may be read; looks for
// the proof in its memory.
bool CanReadMemoryOf(const Hello& hello);

// A word of this process that says that some memory is still what it was: the
// word has its value before anybody is told of the memory, and loses it before
// the memory may be used for something else. Whoever reads the memory looks at
// the word afterwards.
class MemoryGuard {
 public:
  MemoryGuard() = default;
  // With no address when there are too many.
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

// Error: the process is gone or does not let us.
Status ReadMemoryOf(int64_t process, uint64_t address, void* to, size_t size);

}  // namespace sluice::cluster
