#include "sluice/graph/value.h"

#include "sluice/base/strings.h"
#include "sluice/graph/node.h"

namespace sluice {

std::string ValueType::ToString() const { return TypeText(dtype, shape); }

const ValueType& Value::type() const { return node->output_type(index); }

std::string Value::ToString() const {
  if (!node) return "(none)";
  if (node->is_args()) return node->region()->arg_name(index);
  return index == 0 ? node->name() : StrCat(node->name(), ":", index);
}

}  // namespace sluice
