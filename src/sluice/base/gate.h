// Gate: lets callbacks into an object until the object is destroyed. The object
// and its callbacks share one. A callback enters it before accessing the
// object; before the object is destroyed, it closes the gate, which waits for
// callbacks inside and lets none in afterwards.
//
//   [this, gate = gate_] { if (Gate::Inside inside(*gate); inside) Heard(); }
//
// Thread safe. A thread inside may enter again, but must not close the gate.
#pragma once

#include <atomic>

#include "sluice/base/event_count.h"

namespace sluice {

class Gate {
 public:
  class Inside {
   public:
    explicit Inside(Gate& gate) : gate_(gate) {
      gate_.inside_.fetch_add(1, std::memory_order_seq_cst);
      entered_ = !gate_.closed_.load(std::memory_order_seq_cst);
      if (!entered_) Leave();
    }
    ~Inside() {
      if (entered_) Leave();
    }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
    explicit operator bool() const { return entered_; }

   private:
    void Leave() {
      if (gate_.inside_.fetch_sub(1, std::memory_order_seq_cst) == 1) {
        gate_.left_.Notify();
      }
    }
    Gate& gate_;
    bool entered_;
  };

  void Close() {
    closed_.store(true, std::memory_order_seq_cst);
    while (inside_.load(std::memory_order_seq_cst) != 0) {
      const uint32_t seen = left_.Prepare();
      if (inside_.load(std::memory_order_seq_cst) == 0) {
        left_.Cancel();
      } else {
        left_.Wait(seen);
      }
    }
  }

 private:
  std::atomic<int> inside_{0};
  std::atomic<bool> closed_{false};
  EventCount left_;
};

}  // namespace sluice
