// QueueStore: holds the elements of a queue and determines the order in which
// they come out. The Queue handles capacity, waiting and closing, and its lock
// guards the store.
//
// Popped elements may come back, even if there is no memory. Therefore every
// Push reserves space for the popped elements until Settle confirms that they
// will not return.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sluice/state/tuple_spec.h"

namespace sluice {

class QueueStore {
 public:
  virtual ~QueueStore() = default;

  virtual int64_t size() const = 0;
  // How many may be taken now; `drained`: no more elements will come.
  virtual int64_t ready([[maybe_unused]] bool drained) const { return size(); }
  // May throw std::bad_alloc and then changes nothing.
  virtual void Push(Element element) = 0;
  // The element counts as out from now on. REQUIRES: size() > 0.
  Element Pop() {
    ++out_;
    return Take();
  }
  // Undoes Pops: `elements` in the order they were popped. Allocates no memory.
  void PutBack(std::vector<Element> elements) noexcept {
    out_ -= static_cast<int64_t>(elements.size());
    Return(elements);
  }
  // `n` of the popped elements will not return. REQUIRES: at least n are out.
  void Settle(int64_t n) noexcept { out_ -= n; }
  // Sorts elements that were popped at different times into store order.
  virtual void Arrange(std::vector<Element>&) const {}

 protected:
  virtual Element Take() = 0;
  virtual void Return(std::vector<Element>& elements) noexcept = 0;
  // The space needed before one more element is pushed.
  size_t places() const { return static_cast<size_t>(size() + out_) + 1; }

 private:
  int64_t out_ = 0;
};

// First in, first out.
std::unique_ptr<QueueStore> MakeFifoStore();
// In random order, from a generator that starts with `seed`. Holds back
// `min_after_dequeue` elements for mixing until no more will come.
std::unique_ptr<QueueStore> MakeShuffleStore(int64_t min_after_dequeue,
                                             uint64_t seed);
// Smallest component 0 first; equal ones in order of arrival.
// REQUIRES: component 0 of every element is an i64 scalar.
std::unique_ptr<QueueStore> MakePriorityStore();

}  // namespace sluice
