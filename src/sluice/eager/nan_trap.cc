#include "sluice/eager/nan_trap.h"

#include "sluice/base/strings.h"
#include "sluice/eager/call_device.h"
#include "sluice/kernels/finite_range.h"

namespace sluice {

Status CheckFinite(const EagerOp& op, ArrayPointers inputs,
                   std::span<const Array> outputs) {
  for (const Array& out : outputs) {
    SL_ASSIGN_OR_RETURN(Array here, OnHost(out));
    std::string bad = DescribeBad(here);
    if (bad.empty()) continue;
    std::vector<std::string> operands;
    for (size_t i = 0; i < inputs.size(); ++i) {
      SL_ASSIGN_OR_RETURN(Array in, OnHost(*inputs[i]));
      operands.push_back(StrCat(op.record().InputName(static_cast<int>(i)),
                                " is ", DescribeRange(in)));
    }
    return InvalidArgument(
        StrCat("[", op.record().name, "] ", bad, "; ", Join(operands, ", ")));
  }
  return OkStatus();
}

}  // namespace sluice
