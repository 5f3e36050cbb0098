#include "sluice/launch/node_error.h"

#include "sluice/base/strings.h"
#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

Status AtNode(const Status& status, const Node& node,
              std::span<const Array> inputs) {
  if (status.ok()) return status;
  std::string line = NodeLine(node);
  for (int i = 0; i < node.num_inputs() && i < 4; ++i) {
    auto k = static_cast<size_t>(i);
    StrAppend(line, i == 0 ? "  " : ", ", node.op().InputName(i), " = \"",
              node.input(i).ToString(), "\"");
    if (k < inputs.size() && inputs[k]) {
      StrAppend(line, " ", inputs[k].TypeText());
    }
  }
  return status.WithLine(line);
}

Status InNameOf(const Status& status, const OpRecord& ran, const Node& node) {
  std::string prefix = StrCat("[", ran.name, "]");
  if (status.ok() || &ran == &node.op() ||
      !status.message().starts_with(prefix)) {
    return status;
  }
  return Status(
      status.code(),
      StrCat("[", node.op().name, "]",
             std::string_view(status.message()).substr(prefix.size())));
}

}  // namespace sluice
