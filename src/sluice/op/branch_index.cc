#include "sluice/op/branch_index.h"

#include "sluice/base/strings.h"

namespace sluice {

Result<bool> PredicateValue(const Array& pred) {
  if (pred.dtype() != DType::kBool || pred.num_elements() != 1) {
    return InvalidArgument(StrCat("the predicate is ", pred.TypeText(),
                                  "; wanted a scalar of bool"));
  }
  // Any nonzero byte is true: other code may have written it.
  return *static_cast<const char*>(pred.raw()) != 0;
}

Result<size_t> BranchIndex(const Array& chooser, size_t count,
                           bool has_default) {
  if (chooser.dtype() == DType::kBool) {
    SL_ASSIGN_OR_RETURN(bool pred, PredicateValue(chooser));
    return size_t{pred ? 0u : 1u};
  }
  if (chooser.num_elements() != 1) {
    return InvalidArgument(
        StrCat("the index is ", chooser.TypeText(), "; wanted a scalar"));
  }
  int64_t index = chooser.dtype() == DType::kI32 ? *chooser.data<int32_t>()
                                                 : *chooser.data<int64_t>();
  if (index >= 0 && index < static_cast<int64_t>(count)) {
    return static_cast<size_t>(index);
  }
  if (has_default) return count - 1;
  return OutOfRange(StrCat("the index is ", index, "; wanted one of the ",
                           count, " branches, 0 to ", count - 1));
}

}  // namespace sluice
