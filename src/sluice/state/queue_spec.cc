#include "sluice/state/queue_spec.h"

#include "sluice/base/strings.h"

namespace sluice {

namespace {

std::string_view OrderName(QueueOrder order) {
  switch (order) {
    case QueueOrder::kFifo:
      return "fifo queue";
    case QueueOrder::kShuffle:
      return "shuffle queue";
    case QueueOrder::kPadding:
      return "padding queue";
    case QueueOrder::kPriority:
      return "priority queue";
  }
  return "queue";
}

}  // namespace

Status QueueSpec::Check() {
  SL_RETURN_IF_ERROR(tuple.Check());
  if (capacity < -1 || capacity == 0) {
    return InvalidArgument(StrCat("capacity is ", capacity,
                                  "; wanted 1 or more, or -1 for no bound"));
  }
  if (order == QueueOrder::kShuffle) {
    if (min_after_dequeue < 0) {
      return InvalidArgument(StrCat("min_after_dequeue is ", min_after_dequeue,
                                    "; wanted 0 or more"));
    }
    // A full queue that may not release any element would be stuck forever.
    if (capacity > 0 && min_after_dequeue >= capacity) {
      return InvalidArgument(StrCat("min_after_dequeue is ", min_after_dequeue,
                                    "; wanted less than capacity, which is ",
                                    capacity));
    }
  }
  if (order == QueueOrder::kPadding) {
    for (int i = 0; i < tuple.size(); ++i) {
      if (!tuple.shape(i).rank_known()) {
        return InvalidArgument(StrCat("the rank of component ", i,
                                      " is not known; wanted shapes of known "
                                      "rank for every component"));
      }
    }
  }
  if (order == QueueOrder::kPriority) {
    if (tuple.dtypes[0] != DType::kI64) {
      return InvalidArgument(StrCat("dtypes[0] is ", DTypeName(tuple.dtypes[0]),
                                    "; wanted i64, the priority"));
    }
    if (!tuple.shape(0).CompatibleWith(PartialShape::Scalar())) {
      return InvalidArgument(StrCat("shapes[0] is ", tuple.shape(0),
                                    "; wanted [], the priority is a scalar"));
    }
    tuple.shapes.resize(tuple.dtypes.size());
    tuple.shapes[0] = PartialShape::Scalar();
  }
  return OkStatus();
}

std::string QueueSpec::ToString() const {
  std::string out = StrCat(OrderName(order), " ", tuple.ToString());
  if (capacity > 0) StrAppend(out, " of capacity ", capacity);
  if (order == QueueOrder::kShuffle) {
    StrAppend(out, ", min_after_dequeue ", min_after_dequeue, ", seed ", seed);
  }
  return out;
}

}  // namespace sluice
