#include "sluice/eager/nan_trap.h"

#include "sluice/base/strings.h"
#include "sluice/kernels/finite_range.h"

namespace sluice {

Status CheckFinite(const EagerOp& op, ArrayPointers inputs,
                   std::span<const Array> outputs) {
  for (const Array& out : outputs) {
    std::string bad = DescribeBad(out);
    if (bad.empty()) continue;
    std::vector<std::string> operands;
    for (size_t i = 0; i < inputs.size(); ++i) {
      operands.push_back(StrCat(op.record().InputName(static_cast<int>(i)),
                                " is ", DescribeRange(*inputs[i])));
    }
    return InvalidArgument(
        StrCat("[", op.record().name, "] ", bad, "; ", Join(operands, ", ")));
  }
  return OkStatus();
}

}  // namespace sluice
