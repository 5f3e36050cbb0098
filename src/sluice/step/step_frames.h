// Blocks and frames: the memory of loops and calls while a step runs. Created,
// pooled and owned by their Step; any thread of the step may touch them.
// step_flow.cc has the rules.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "sluice/base/spin_lock.h"
#include "sluice/plan/plan.h"

namespace sluice {

struct Frame;

// The memory of one activation of a frame: pending counts and input slots. The
// root has one block, a loop one per iteration, a call one.
struct IterBlock {
  // By node, from the first of the frame.
  std::atomic<uint32_t>* pending = nullptr;
  Array* slots = nullptr;
  const uint8_t* sticky = nullptr;  // by slot: firing does not empty it
  const FrameInfo* info = nullptr;
  uint32_t first_node = 0;
  bool filled = false;     // the frame's constants are in place
  Frame* frame = nullptr;  // null for the root
  int64_t iteration = 0;
  uint64_t tag = 0;
  // Tokens that are ready, running or pending here, plus child frames.
  std::atomic<int32_t> work{0};
  std::unique_ptr<std::atomic<Frame*>[]> children;
  IterBlock* next = nullptr;  // in a free list

  std::unique_ptr<std::atomic<uint32_t>[]> pending_memory;
  std::unique_ptr<Array[]> slot_memory;
};

// Takes the lock if the step is shared; a private step needs no lock.
template <bool kShared>
class FrameGuard {
 public:
  explicit FrameGuard(SpinLock& lock) : lock_(lock) {
    if (kShared) lock_.lock();
  }
  ~FrameGuard() {
    if (kShared) lock_.unlock();
  }

 private:
  SpinLock& lock_;
};

// Changes a count, atomically only if the step is shared; returns the new
// value.
template <bool kShared, class T>
T Change(std::atomic<T>& count, T by) {
  if (kShared) return count.fetch_add(by, std::memory_order_acq_rel) + by;
  T now = count.load(std::memory_order_relaxed) + by;
  count.store(now, std::memory_order_relaxed);
  return now;
}
// Sets bits in the same way; returns the old value.
template <bool kShared>
uint32_t SetBits(std::atomic<uint32_t>& word, uint32_t bits) {
  if (kShared) return word.fetch_or(bits, std::memory_order_acq_rel);
  uint32_t before = word.load(std::memory_order_relaxed);
  word.store(before | bits, std::memory_order_relaxed);
  return before;
}

// A further bound on iterations in flight: more would only cost memory.
inline constexpr uint32_t kMaxWindow = 4096;

// One run of a loop, or one call. Iterations [first, next) are alive.
struct Frame {
  // A value for an iteration that must wait until an older one ends.
  struct Parked {
    const PlanEdge* edge;
    Array value;
  };
  const FrameInfo* info = nullptr;
  uint32_t type = 0;
  IterBlock* parent = nullptr;
  uint32_t caller = 0;  // the calling node, for calls
  int32_t depth = 0;    // number of enclosing calls
  uint64_t tag = 0;     // base tag; iterations add to it
  // For starting, parking and retiring. Guards the fields below but `results`,
  // which have one writer each, and the children of its blocks. No annotations:
  // a private step takes no lock (FrameGuard).
  SpinLock lock;
  bool active = false;
  int64_t first = 0;
  std::atomic<int64_t> next{0};
  std::vector<IterBlock*> ring;
  IterBlock* spare = nullptr;  // a retired block that still holds the constants
  uint32_t missing_enters = 0, missing_constants = 0;
  bool dead_constant = false;
  enum : uint8_t { kMissing, kLive, kDead };
  std::vector<uint8_t> constant_state;
  std::vector<Array> constants;
  std::vector<uint8_t> exited;
  std::vector<Parked> parked;
  std::vector<Array> results;  // for calls

  IterBlock*& at(int64_t iteration) {
    return ring[static_cast<size_t>(iteration) & (ring.size() - 1)];
  }
};

}  // namespace sluice
