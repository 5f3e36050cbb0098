// Blocks and frames: the memory of loops and calls while a step runs. Made,
// pooled and owned by their Step; see step_flow.cc for the rules.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "sluice/base/spin_lock.h"
#include "sluice/plan/plan.h"

namespace sluice {

struct Frame;

// The memory of one activation of a frame: pending counts, input slots. The
// root has one, a loop one per iteration, a call one.
struct IterBlock {
  std::atomic<uint32_t>* pending = nullptr;  // by node, from the frame's first
  Array* slots = nullptr;
  const uint8_t* sticky = nullptr;  // by slot: not emptied by firing
  const FrameInfo* info = nullptr;
  uint32_t first_node = 0;
  bool filled = false;     // the frame's constants are in their slots
  Frame* frame = nullptr;  // null for the root
  int64_t iteration = 0;
  uint64_t tag = 0;
  // Tokens ready, running or pending here, and frames below.
  std::atomic<int32_t> work{0};
  std::unique_ptr<std::atomic<Frame*>[]> children;
  IterBlock* next = nullptr;  // in a list of free ones

  std::unique_ptr<std::atomic<uint32_t>[]> pending_memory;
  std::unique_ptr<Array[]> slot_memory;
};

// Takes the lock of a step that is shared; a private one has nobody to exclude.
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

// Changes a count that only a shared step has to change atomically; gives its
// new value.
template <bool kShared, class T>
T Change(std::atomic<T>& count, T by) {
  if (kShared) return count.fetch_add(by, std::memory_order_acq_rel) + by;
  T now = count.load(std::memory_order_relaxed) + by;
  count.store(now, std::memory_order_relaxed);
  return now;
}
// Sets bits likewise; gives what there was before.
template <bool kShared>
uint32_t SetBits(std::atomic<uint32_t>& word, uint32_t bits) {
  if (kShared) return word.fetch_or(bits, std::memory_order_acq_rel);
  uint32_t before = word.load(std::memory_order_relaxed);
  word.store(before | bits, std::memory_order_relaxed);
  return before;
}

// Iterations at once are bounded by this, too: more would only cost memory.
inline constexpr uint32_t kMaxWindow = 4096;

// One run of a loop, or one call. Iterations [first, next) are alive.
struct Frame {
  // A value for an iteration that has to wait for an older one to end.
  struct Parked {
    const PlanEdge* edge;
    Array value;
  };
  const FrameInfo* info = nullptr;
  uint32_t type = 0;
  IterBlock* parent = nullptr;
  uint32_t caller = 0;  // the node, of calls
  int32_t depth = 0;    // calls around
  uint64_t tag = 0;     // iterations add to it
  SpinLock lock;        // starting, parking and retiring, when shared
  bool active = false;
  int64_t first = 0;
  std::atomic<int64_t> next{0};
  std::vector<IterBlock*> ring;
  IterBlock* spare = nullptr;  // retired: constants are still in them
  uint32_t missing_enters = 0, missing_constants = 0;
  bool dead_constant = false;
  enum : uint8_t { kMissing, kLive, kDead };
  std::vector<uint8_t> constant_state;
  std::vector<Array> constants;
  std::vector<uint8_t> exited;
  std::vector<Parked> parked;
  std::vector<Array> results;  // of calls

  IterBlock*& at(int64_t iteration) {
    return ring[static_cast<size_t>(iteration) & (ring.size() - 1)];
  }
};

}  // namespace sluice
