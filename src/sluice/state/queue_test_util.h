// A queue of i64 scalars and short helper functions, for tests.
#pragma once

#include <initializer_list>
#include <vector>

#include "sluice/state/queue.h"
#include "sluice/state/state_test_util.h"

namespace sluice {

using I64s = std::vector<int64_t>;

inline QueueSpec ScalarSpec(QueueOrder order, int64_t capacity) {
  QueueSpec spec;
  spec.order = order;
  spec.tuple = {{DType::kI64}, {PartialShape::Scalar()}, {}};
  spec.capacity = capacity;
  return spec;
}

struct QueueFixture {
  explicit QueueFixture(const QueueSpec& spec)
      : queue(*Queue::Make("q", spec)) {}
  explicit QueueFixture(int64_t capacity = -1)
      : QueueFixture(ScalarSpec(QueueOrder::kFifo, capacity)) {}

  Answer Put(int64_t v, Cancellation* c = nullptr) {
    Answer a;
    Array parts[] = {Array::Scalar(v)};
    queue->Enqueue(parts, c, a.reply());
    return a;
  }
  Answer PutMany(std::initializer_list<int64_t> v, Cancellation* c = nullptr) {
    Answer a;
    Array parts[] = {Array::Vector<int64_t>(v)};
    queue->EnqueueMany(parts, c, a.reply());
    return a;
  }
  Answer Get(Cancellation* c = nullptr) {
    Answer a;
    queue->Dequeue(c, a.reply());
    return a;
  }
  Answer GetMany(int64_t n, bool up_to = false, Cancellation* c = nullptr) {
    Answer a;
    queue->DequeueMany(n, up_to, c, a.reply());
    return a;
  }
  Ref<Queue> queue;
};

}  // namespace sluice
