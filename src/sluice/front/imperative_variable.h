// variable() where no graph is open: a tensor of its own memory, made once per
// captured function (trace/made_once.h).
#pragma once

#include "sluice/front/variable.h"

namespace sluice::front_internal {

Variable ImperativeVariable(const Operand& initial, std::string_view name,
                            std::source_location where);

}  // namespace sluice::front_internal
