#include "sluice/op/kernel_context.h"

#include "sluice/base/strings.h"
#include "sluice/op/fused_loop.h"
#include "sluice/op/record.h"

namespace sluice {

Status KernelContext::AllocateOut(int i, DType dtype, const Shape& shape) {
  SL_ASSIGN_OR_RETURN(outputs_[static_cast<size_t>(i)],
                      Array::Make(dtype, shape, AllocatorOf(step_->memory)));
  return OkStatus();
}

void KernelContext::LoadFused(int64_t begin, int64_t n, void* scratch) const {
  prologue_->RunInto(begin, n, scratch);
}

void KernelContext::FinishFused(int64_t begin, int64_t n) const {
  epilogue_->Run(begin, n);
}

Status KernelContext::Error(std::string_view message) const {
  return Error(Code::kInvalidArgument, message);
}

Status KernelContext::Error(Code code, std::string_view message) const {
  return Status(code, StrCat("[", op_->name, "] ", message));
}

}  // namespace sluice
