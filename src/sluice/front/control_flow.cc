#include "sluice/front/control_flow.h"

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/eager/call.h"

namespace sluice::front_internal {

Tensor AsTensor(const Operand& operand) {
  if (operand.is_tensor()) {
    if (operand.tensor().defined()) return operand.tensor();
    throw Error(
        InvalidArgument("a predicate or initial value is a Tensor that "
                        "holds nothing")
            .WithLine(StrCat("at ", SourceLine::From(operand.where()))));
  }
  return CallOne("Identity", std::vector<Operand>{operand}, {}, "",
                 operand.where());
}

Tensor AsCount(const Operand& count) {
  Operand typed = Typed("for_loop", count, DType::kI64);
  Tensor n = AsTensor(typed);
  if (!kIndices.contains(n.dtype()) ||
      (n.shape().rank_known() && n.rank() != 0)) {
    throw Error(InvalidArgument(StrCat("[for_loop] the count is ",
                                       TypeText(n.dtype(), n.shape()),
                                       "; wanted a scalar of i32 or i64"))
                    .WithLine(StrCat("at ", SourceLine::From(count.where()))));
  }
  return n;
}

Tensor ZeroLike(const Tensor& scalar, std::source_location where) {
  return CallOne("ZerosLike", std::vector<Operand>{scalar}, {}, "", where);
}

Tensor Below(const Tensor& i, const Tensor& n, std::source_location where) {
  return CallOne("Less", std::vector<Operand>{i, n}, {}, "", where);
}

Tensor PlusOne(const Tensor& i, std::source_location where) {
  return CallOne("Add", std::vector<Operand>{i, Operand(1, where)}, {}, "",
                 where);
}

}  // namespace sluice::front_internal
