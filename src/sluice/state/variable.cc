#include "sluice/state/variable.h"

#include "sluice/base/strings.h"
#include "sluice/state/arithmetic.h"
#include "sluice/tensor/strided.h"

namespace sluice {

std::string Variable::Signature(DType dtype, const PartialShape& shape) {
  return StrCat("variable ", TypeText(dtype, shape));
}

Result<Ref<Variable>> Variable::Make(std::string name, DType dtype,
                                     const PartialShape& shape) {
  if (!kAnyData.contains(dtype)) {
    return InvalidArgument(
        StrCat("dtype is ", DTypeName(dtype), "; wanted one of ", kAnyData));
  }
  return MakeRef<Variable>(std::move(name), dtype, shape);
}

Variable::Variable(std::string name, DType dtype, const PartialShape& shape)
    : NamedResource(std::move(name), Signature(dtype, shape)),
      dtype_(dtype),
      shape_(shape) {}

Status Variable::NotInitialised() const {
  return FailedPrecondition(StrCat("variable \"", name(),
                                   "\" is not initialised; run its "
                                   "initialiser first"));
}

Status Variable::Mismatch(const Array& value,
                          const PartialShape& wanted) const {
  return InvalidArgument(StrCat("value is ", value.TypeText(), "; wanted ",
                                TypeText(dtype_, wanted), " as variable \"",
                                name(), "\""));
}

Result<Array> Variable::Read() const {
  MutexLock lock(mu_);
  if (!value_) return NotInitialised();
  return value_;
}

Status Variable::Assign(const Array& value) {
  if (value.dtype() != dtype_ || !shape_.Covers(value.shape())) {
    return Mismatch(value, shape_);
  }
  SL_ASSIGN_OR_RETURN(Array owned, OwnedArray(value));
  {
    MutexLock lock(mu_);
    std::swap(value_, owned);
    ++version_;
  }
  return OkStatus();  // the old value is freed here, after the lock is released
}

Status Variable::Update(const Array& value, bool subtract) {
  if (!kNumbers.contains(dtype_)) {
    return InvalidArgument(StrCat("variable \"", name(), "\" is ",
                                  DTypeName(dtype_), "; wanted one of ",
                                  kNumbers));
  }
  SL_ASSIGN_OR_RETURN(Array x, value.AsContiguous());
  MutexLock lock(mu_);
  if (!value_) return NotInitialised();
  if (x.dtype() != dtype_ || !(x.shape() == value_.shape())) {
    return Mismatch(x, value_.shape());
  }
  SL_RETURN_IF_ERROR(AddTo(&value_, x, subtract));
  ++version_;
  return OkStatus();
}

Status Variable::Modify(const std::function<Status(const Array&)>& check,
                        const std::function<Status(const Array&)>& change,
                        WorkerPool* pool) {
  MutexLock lock(mu_);
  if (!value_) return NotInitialised();
  SL_RETURN_IF_ERROR(check(value_));
  if (!value_.unique()) {
    SL_ASSIGN_OR_RETURN(Array copy, Array::Make(dtype_, value_.shape(),
                                                AllocatorOf(value_.memory())));
    CopyStrided(value_, copy, pool);
    value_ = std::move(copy);
  }
  SL_RETURN_IF_ERROR(change(value_));
  ++version_;
  return OkStatus();
}

bool Variable::initialized() const {
  MutexLock lock(mu_);
  return static_cast<bool>(value_);
}

int64_t Variable::version() const {
  MutexLock lock(mu_);
  return version_;
}

}  // namespace sluice
