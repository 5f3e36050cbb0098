// QueueSpec: everything requested when a queue is created. Queues with equal
// specs may share a name. A plain value.
#pragma once

#include <string>

#include "sluice/base/status.h"
#include "sluice/state/tuple_spec.h"

namespace sluice {

enum class QueueOrder : uint8_t { kFifo, kShuffle, kPadding, kPriority };

struct QueueSpec {
  QueueOrder order = QueueOrder::kFifo;
  TupleSpec tuple;
  int64_t capacity = -1;  // -1: unbounded
  // For shuffle queues only.
  int64_t min_after_dequeue = 0;
  int64_t seed = 0;  // 0: from the session's seed and the queue's name

  // A padding queue pads batches; all other queues need known sizes.
  bool pads() const { return order == QueueOrder::kPadding; }
  // Errors: an invalid spec. Also sets the shape of a priority queue's first
  // component.
  Status Check();
  // "fifo queue (f32[2], i64[]) of capacity 10".
  std::string ToString() const;
};

}  // namespace sluice
