#include "sluice/front/queue.h"

namespace sluice {

using front_internal::MakeHandle;
using front_internal::Outputs;
using front_internal::UseHandle;

inline namespace front {

std::vector<Operand> Queue::WithTypes(std::string_view op,
                                      const OperandList& components) const {
  std::vector<Operand> typed;
  for (const Operand& c : components.list()) {
    size_t i = typed.size();
    typed.push_back(
        i < dtypes_.size() ? front_internal::Typed(op, c, dtypes_[i]) : c);
  }
  return typed;
}

Operation Queue::enqueue(const OperandList& components, Where where) const {
  return UseHandle("Enqueue", handle_, WithTypes("Enqueue", components), {},
                   where);
}

Operation Queue::enqueue_many(const OperandList& components,
                              Where where) const {
  return UseHandle("EnqueueMany", handle_, WithTypes("EnqueueMany", components),
                   {}, where);
}

std::vector<Tensor> Queue::Take(std::string_view op,
                                std::span<const Operand> operands,
                                Where where) const {
  Attrs attrs{{"dtypes", dtypes_}, {"shapes", shapes_}};
  return Outputs(UseHandle(op, handle_, operands, attrs, where));
}

std::vector<Tensor> Queue::dequeue(Where where) const {
  return Take("Dequeue", {}, where);
}

std::vector<Tensor> Queue::dequeue_many(const Operand& n, Where where) const {
  return Take("DequeueMany", {&n, 1}, where);
}

std::vector<Tensor> Queue::dequeue_up_to(const Operand& n, Where where) const {
  return Take("DequeueUpTo", {&n, 1}, where);
}

Operation Queue::close(bool cancel_pending, Where where) const {
  return UseHandle("QueueClose", handle_, {},
                   {{"cancel_pending", cancel_pending}}, where);
}

Tensor Queue::size(Where where) const {
  return UseHandle("QueueSize", handle_, {}, {}, where).output();
}

Tensor Queue::is_closed(Where where) const {
  return UseHandle("QueueIsClosed", handle_, {}, {}, where).output();
}

}  // namespace front

namespace {

Attrs QueueAttrs(int64_t capacity, const std::vector<DType>& dtypes,
                 const std::vector<PartialSizes>& shapes) {
  return {
      {"dtypes", dtypes}, {"shapes", ShapesOf(shapes)}, {"capacity", capacity}};
}

}  // namespace

Queue fifo_queue(int64_t capacity, const std::vector<DType>& dtypes,
                 const std::vector<PartialSizes>& shapes,
                 const ResourceOptions& options, std::source_location where) {
  return Queue(MakeHandle("FifoQueue", QueueAttrs(capacity, dtypes, shapes),
                          options, where),
               dtypes, ShapesOf(shapes));
}

Queue shuffle_queue(int64_t capacity, const std::vector<DType>& dtypes,
                    const std::vector<PartialSizes>& shapes,
                    const ShuffleQueueOptions& options,
                    std::source_location where) {
  Attrs attrs = QueueAttrs(capacity, dtypes, shapes);
  attrs.set("min_after_dequeue", options.min_after_dequeue);
  attrs.set("seed", options.seed);
  return Queue(MakeHandle("ShuffleQueue", attrs, options.resource, where),
               dtypes, ShapesOf(shapes));
}

Queue padding_queue(int64_t capacity, const std::vector<DType>& dtypes,
                    const std::vector<PartialSizes>& shapes,
                    const ResourceOptions& options,
                    std::source_location where) {
  return Queue(MakeHandle("PaddingQueue", QueueAttrs(capacity, dtypes, shapes),
                          options, where),
               dtypes, ShapesOf(shapes));
}

Queue priority_queue(int64_t capacity, const std::vector<DType>& dtypes,
                     const std::vector<PartialSizes>& shapes,
                     const ResourceOptions& options,
                     std::source_location where) {
  return Queue(MakeHandle("PriorityQueue", QueueAttrs(capacity, dtypes, shapes),
                          options, where),
               dtypes, ShapesOf(shapes));
}

}  // namespace sluice
