// Variable: an array that survives steps. A read shares the array, so it costs
// nothing. Updates work in place if the array is not shared, else into new
// memory, so earlier readers keep the value they read.
//
// Thread safe: one lock is held during an update, so that updates from any
// number of steps add up.
#pragma once

#include <functional>
#include <string>

#include "sluice/base/status.h"
#include "sluice/base/thread_annotations.h"
#include "sluice/state/named_resource.h"
#include "sluice/tensor/array.h"

namespace sluice {

class WorkerPool;

class Variable : public NamedResource {
 public:
  static constexpr char kKind[] = "variable";
  const void* tag() const override { return kKind; }

  // Unknown dimensions of `shape` may differ between assignments. Error: a
  // dtype without elements.
  static Result<Ref<Variable>> Make(std::string name, DType dtype,
                                    const PartialShape& shape);
  // "variable f32[2,?]".
  static std::string Signature(DType dtype, const PartialShape& shape);

  Variable(std::string name, DType dtype, const PartialShape& shape);

  DType dtype() const { return dtype_; }
  const PartialShape& shape() const { return shape_; }

  // The shared value. Error: FailedPrecondition before the first Assign.
  Result<Array> Read() const;
  // Takes over `value`; memory that belongs to somebody else is copied.
  Status Assign(const Array& value);
  // Errors: FailedPrecondition before the first Assign; a shape other than that
  // of the current value.
  Status Add(const Array& value) { return Update(value, false); }
  Status Subtract(const Array& value) { return Update(value, true); }

  // Changes some elements, in place if the value is not shared, else in a copy
  // (made on the threads of the pool). `check` sees the current value and may
  // refuse before a copy is made. `change` writes, or refuses without having
  // written anything. Both run under the lock.
  // Errors: FailedPrecondition before the first Assign; errors of the two
  // functions.
  Status Modify(const std::function<Status(const Array& value)>& check,
                const std::function<Status(const Array& value)>& change,
                WorkerPool* pool);

  bool initialized() const;
  // The number of assignments and updates so far.
  int64_t version() const;

 private:
  Status Update(const Array& value, bool subtract);
  Status NotInitialised() const;
  Status Mismatch(const Array& value, const PartialShape& wanted) const;

  const DType dtype_;
  const PartialShape shape_;
  mutable Mutex mu_;
  Array value_ SL_GUARDED_BY(mu_);  // null before the first Assign
  int64_t version_ SL_GUARDED_BY(mu_) = 0;
};

}  // namespace sluice
