// QueueSpec: everything that is asked for when a queue is made. Two queues may
// share a name when their specs read the same. A plain value.
#pragma once

#include <string>

#include "sluice/base/status.h"
#include "sluice/state/tuple_spec.h"

namespace sluice {

enum class QueueOrder : uint8_t { kFifo, kShuffle, kPadding, kPriority };

struct QueueSpec {
  QueueOrder order = QueueOrder::kFifo;
  TupleSpec tuple;
  int64_t capacity = -1;  // -1: no bound
  // Of a shuffle queue only.
  int64_t min_after_dequeue = 0;
  int64_t seed = 0;  // 0: from the session's seed and the queue's name

  // A padding queue pads in batches; every other one needs sizes that are
  // known.
  bool pads() const { return order == QueueOrder::kPadding; }
  // Errors: what cannot be a queue. Gives a priority queue's first component
  // its shape.
  Status Check();
  // "fifo queue (f32[2], i64[]) of capacity 10".
  std::string ToString() const;
};

}  // namespace sluice
