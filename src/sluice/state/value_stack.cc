#include "sluice/state/value_stack.h"

#include "sluice/base/strings.h"

namespace sluice {

ValueStack::ValueStack(std::string label, DType dtype, int64_t max_size)
    : NamedResource(std::move(label), StrCat("stack of ", DTypeName(dtype))),
      dtype_(dtype),
      max_size_(max_size) {}

std::string ValueStack::Who() const {
  return name().empty() ? "the stack" : StrCat("stack \"", name(), "\"");
}

Status ValueStack::CheckOpen() const {
  return closed_ ? FailedPrecondition(StrCat(Who(), " is closed")) : OkStatus();
}

Status ValueStack::Push(Array value) {
  MutexLock lock(mu_);
  SL_RETURN_IF_ERROR(CheckOpen());
  if (value.dtype() != dtype_) {
    return InvalidArgument(StrCat("the value is ", value.TypeText(),
                                  "; wanted ", DTypeName(dtype_), " as ", Who(),
                                  " holds"));
  }
  auto size = static_cast<int64_t>(values_.size());
  if (max_size_ >= 0 && size >= max_size_) {
    return InvalidArgument(StrCat(Who(), " holds ", size,
                                  " values and is full; wanted at most ",
                                  max_size_));
  }
  values_.push_back(std::move(value));
  return OkStatus();
}

Result<Array> ValueStack::Pop() {
  MutexLock lock(mu_);
  SL_RETURN_IF_ERROR(CheckOpen());
  if (values_.empty()) {
    return InvalidArgument(
        StrCat(Who(), " is empty; wanted a value pushed before"));
  }
  Array value = std::move(values_.back());
  values_.pop_back();
  return value;
}

void ValueStack::Close() {
  std::vector<Array> dropped;  // destroyed after the lock is released
  MutexLock lock(mu_);
  closed_ = true;
  dropped.swap(values_);
}

}  // namespace sluice
