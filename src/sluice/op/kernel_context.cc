#include "sluice/op/kernel_context.h"

#include "sluice/base/strings.h"
#include "sluice/op/record.h"

namespace sluice {

Status KernelContext::AllocateOut(int i, DType dtype, const Shape& shape) {
  SL_ASSIGN_OR_RETURN(outputs_[static_cast<size_t>(i)],
                      Array::Make(dtype, shape));
  return OkStatus();
}

Status KernelContext::Error(std::string_view message) const {
  return Error(Code::kInvalidArgument, message);
}

Status KernelContext::Error(Code code, std::string_view message) const {
  return Status(code, StrCat("[", op_->name, "] ", message));
}

}  // namespace sluice
