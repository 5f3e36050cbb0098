// Variable: an array that survives steps. A read shares the array, so it costs
// nothing; a change made in place happens only while nobody else holds it, else
// into fresh memory, so whoever read earlier keeps the value it read.
//
// Thread safe: one lock, held for the length of an update, so that updates from
// any number of steps add up.
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

  // Dimensions of `shape` that are unknown may differ from one assignment to
  // the next. Error: a dtype without elements.
  static Result<Ref<Variable>> Make(std::string name, DType dtype,
                                    const PartialShape& shape);
  // "variable f32[2,?]".
  static std::string Signature(DType dtype, const PartialShape& shape);

  Variable(std::string name, DType dtype, const PartialShape& shape);

  DType dtype() const { return dtype_; }
  const PartialShape& shape() const { return shape_; }

  // The value, shared. Error: FailedPrecondition before the first Assign.
  Result<Array> Read() const;
  // Takes `value` over; bytes that belong to somebody else are copied.
  Status Assign(const Array& value);
  // Errors: FailedPrecondition before the first Assign; a value that is not of
  // the present value's shape.
  Status Add(const Array& value) { return Update(value, false); }
  Status Subtract(const Array& value) { return Update(value, true); }

  // A change of some elements, in place while nobody else holds the value, else
  // of a copy (made on the pool's threads). `check` sees the present value and
  // may refuse before a copy is made; `change` writes, or refuses and has
  // written nothing. Both run under the lock.
  // Errors: FailedPrecondition before the first Assign; what the two say.
  Status Modify(const std::function<Status(const Array& value)>& check,
                const std::function<Status(const Array& value)>& change,
                WorkerPool* pool);

  bool initialized() const;
  // How many times it has been assigned or updated; 0 before the first.
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
