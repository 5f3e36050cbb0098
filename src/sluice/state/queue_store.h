// QueueStore: in which order the elements of a queue come out again. Holds the
// elements and nothing else: capacity, waiting and closing are the Queue's
// business, and so is the lock that guards a store.
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
  virtual void Push(Element element) = 0;
  // REQUIRES: size() > 0.
  virtual Element Pop() = 0;
  // Undoes Pops: `elements` in the order they were popped.
  virtual void PutBack(std::vector<Element> elements) = 0;
  // Puts elements popped at different times into the order of the store.
  virtual void Arrange(std::vector<Element>&) const {}
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
