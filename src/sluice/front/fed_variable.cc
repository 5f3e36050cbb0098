#include "sluice/front/fed_variable.h"

#include "sluice/state/variable.h"

namespace sluice {

Result<Array> FedVariable(const std::string& name, const Array& value,
                          const PartialShape& shape) {
  SL_ASSIGN_OR_RETURN(Ref<Variable> variable,
                      Variable::Make(name, value.dtype(), shape));
  SL_RETURN_IF_ERROR(variable->Assign(value));
  return Array::Handle(Ref<ResourceBase>(std::move(variable)));
}

}  // namespace sluice
