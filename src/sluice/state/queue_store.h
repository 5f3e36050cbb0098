// QueueStore: in which order the elements of a queue come out again. Holds the
// elements and nothing else: capacity, waiting and closing are the Queue's
// business, and so is the lock that guards a store.
//
// What is popped may come back, and must then have a place though there be no
// memory: every Push keeps room for what is out until Settle says that it is
// gone for good.
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
  // How many may be taken now; `drained`: nothing will ever come in again.
  virtual int64_t ready([[maybe_unused]] bool drained) const { return size(); }
  // Throws std::bad_alloc, and then holds what it held.
  virtual void Push(Element element) = 0;
  // The element is out from now on. REQUIRES: size() > 0.
  Element Pop() {
    ++out_;
    return Take();
  }
  // Undoes Pops: `elements` in the order they were popped. Needs no memory.
  void PutBack(std::vector<Element> elements) noexcept {
    out_ -= static_cast<int64_t>(elements.size());
    Return(elements);
  }
  // So many of those that are out do not come back. REQUIRES: they are out.
  void Settle(int64_t n) noexcept { out_ -= n; }
  // Puts elements popped at different times into the order of the store.
  virtual void Arrange(std::vector<Element>&) const {}

 protected:
  virtual Element Take() = 0;
  virtual void Return(std::vector<Element>& elements) noexcept = 0;
  // Places there must be before one more is pushed.
  size_t places() const { return static_cast<size_t>(size() + out_) + 1; }

 private:
  int64_t out_ = 0;
};

// First in, first out.
std::unique_ptr<QueueStore> MakeFifoStore();
// Any of those present, by a generator that starts from `seed`; keeps
// `min_after_dequeue` back to mix with until nothing more will come.
std::unique_ptr<QueueStore> MakeShuffleStore(int64_t min_after_dequeue,
                                             uint64_t seed);
// The smallest component 0 first; equal ones in the order they came.
// REQUIRES: component 0 of every element is an i64 scalar.
std::unique_ptr<QueueStore> MakePriorityStore();

}  // namespace sluice
