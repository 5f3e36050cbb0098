// Queue: elements that steps hand to each other. An element is a tuple of
// tensors; enqueue waits while the queue is full, dequeue while it is empty,
// without holding a thread.
//
//   auto queue = sl::fifo_queue(64, {sl::f32, sl::i64}, {{28, 28}, {}});
//   auto fill = queue.enqueue({image, label});
//   auto batch = queue.dequeue_many(32);    // batch[0]: f32[32,28,28]
//
// A handle, copied freely; the graph must outlive it. The elements live in a
// session. In an inline namespace because the engine's class has the name too.
#pragma once

#include "sluice/front/resource.h"

namespace sluice {
inline namespace front {

class Queue {
 public:
  using Where = std::source_location;

  Queue() = default;
  Queue(Tensor handle, std::vector<DType> dtypes,
        std::vector<PartialShape> shapes)
      : handle_(std::move(handle)),
        dtypes_(std::move(dtypes)),
        shapes_(std::move(shapes)) {}

  // One element; many: axis 0 of each component counts the elements.
  Operation enqueue(const OperandList& components,
                    Where where = Where::current()) const;
  Operation enqueue_many(const OperandList& components,
                         Where where = Where::current()) const;

  // One tensor per component.
  std::vector<Tensor> dequeue(Where where = Where::current()) const;
  // A batch of n. On a closed queue with fewer: an error, or what is left.
  std::vector<Tensor> dequeue_many(const Operand& n,
                                   Where where = Where::current()) const;
  std::vector<Tensor> dequeue_up_to(const Operand& n,
                                    Where where = Where::current()) const;

  // Later enqueues fail; dequeues get what is left, then fail.
  Operation close(bool cancel_pending = false,
                  Where where = Where::current()) const;
  Tensor size(Where where = Where::current()) const;
  Tensor is_closed(Where where = Where::current()) const;

  const std::vector<DType>& dtypes() const { return dtypes_; }
  const Tensor& handle() const { return handle_; }

 private:
  std::vector<Operand> WithTypes(std::string_view op,
                                 const OperandList& components) const;
  std::vector<Tensor> Take(std::string_view op,
                           std::span<const Operand> operands,
                           Where where) const;

  Tensor handle_;
  std::vector<DType> dtypes_;
  std::vector<PartialShape> shapes_;
};

}  // namespace front

// `capacity` -1 is no bound. `shapes` has one entry per component, or none
// when nothing is known; batches can be made only where all sizes are known.
Queue fifo_queue(int64_t capacity, const std::vector<DType>& dtypes,
                 const std::vector<PartialSizes>& shapes = {},
                 const ResourceOptions& options = {},
                 std::source_location where = std::source_location::current());

struct ShuffleQueueOptions {
  // Kept back to mix with, until the queue is closed.
  int64_t min_after_dequeue = 0;
  int64_t seed = 0;  // 0: from the session's seed and the queue's name
  ResourceOptions resource{};
};
// Gives elements out in a random order.
Queue shuffle_queue(
    int64_t capacity, const std::vector<DType>& dtypes,
    const std::vector<PartialSizes>& shapes = {},
    const ShuffleQueueOptions& options = {},
    std::source_location where = std::source_location::current());

// Elements may differ in the sizes `shapes` leaves unknown; a batch is padded
// with zeros to the largest.
Queue padding_queue(
    int64_t capacity, const std::vector<DType>& dtypes,
    const std::vector<PartialSizes>& shapes,
    const ResourceOptions& options = {},
    std::source_location where = std::source_location::current());

// The smallest component 0, an i64 scalar, comes out first.
Queue priority_queue(
    int64_t capacity, const std::vector<DType>& dtypes,
    const std::vector<PartialSizes>& shapes = {},
    const ResourceOptions& options = {},
    std::source_location where = std::source_location::current());

}  // namespace sluice
