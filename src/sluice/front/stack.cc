#include "sluice/front/stack.h"

#include "sluice/eager/list_call.h"

namespace sluice {

using front_internal::CallOne;
using front_internal::CallOperation;
using front_internal::ForList;
using front_internal::FromList;

Stack::Stack(DType dtype, const StackOptions& options, Where where)
    : handle_(CallOne("StepStack", {},
                      {{"dtype", dtype},
                       {"max_size", options.max_size},
                       {"label", options.label}},
                      "", where)),
      dtype_(dtype),
      shape_(options.shape.shape()) {}

Tensor Stack::push(const Operand& x, Where where) const {
  Operand operands[] = {handle_, ForList("StackPush", x, dtype_)};
  return FromList(CallOne("StackPush", operands, {}, "", where), where);
}

Tensor Stack::pop(Where where) const {
  Operand operands[] = {handle_};
  return FromList(CallOne("StackPop", operands,
                          {{"dtype", dtype_}, {"shape", shape_}}, "", where),
                  where);
}

Operation Stack::close(Where where) const {
  Operand operands[] = {handle_};
  return CallOperation("StackClose", operands, {}, "", where);
}

}  // namespace sluice
