#include "sluice/front/feed.h"

#include "sluice/base/strings.h"

namespace sluice {

Result<Value> Fetch::In(Graph& graph) const {
  if (tensor_) {
    if (&tensor_.graph() == &graph) return tensor_.value();
    return InvalidArgument(StrCat(
        "\"", tensor_.name(), "\" belongs to graph \"", tensor_.graph().name(),
        "\"; wanted a value of the session's, \"", graph.name(), "\""));
  }
  if (name_.empty()) {
    return InvalidArgument("a feed or fetch is a Tensor that holds nothing");
  }
  MutexLock lock(graph.mu());
  return graph.FindValue(name_);
}

}  // namespace sluice
