#include "sluice/front/tensor.h"

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/graph/graph.h"

namespace sluice {

namespace {

[[noreturn]] void ThrowEmpty(std::string_view what) {
  throw Error(FailedPrecondition(
      StrCat("this ", what, " holds nothing: it was made by default")));
}

}  // namespace

Node& Operation::node() const {
  if (!node_) ThrowEmpty("Operation");
  return *node_;
}

Graph& Operation::graph() const {
  if (!graph_) ThrowEmpty("Operation");
  return *graph_;
}

Tensor Operation::output(int i) const {
  if (i < 0 || i >= num_outputs()) {
    throw Error(OutOfRange(StrCat("output ", i, " of \"", name(),
                                  "\", which has ", num_outputs())));
  }
  return Tensor(*graph_, Value{node_, i});
}

Value Tensor::value() const {
  if (!value_) ThrowEmpty("Tensor");
  return value_;
}

Graph& Tensor::graph() const {
  if (!graph_) ThrowEmpty("Tensor");
  return *graph_;
}

std::string Tensor::ToString() const {
  return StrCat(name(), ": ", value().type());
}

Tensor find_tensor(Graph& graph, std::string_view name) {
  MutexLock lock(graph.mu());
  return Tensor(graph, ValueOrThrow(graph.FindValue(name)));
}

Operation find_operation(Graph& graph, std::string_view name) {
  MutexLock lock(graph.mu());
  Node* node = graph.FindNode(name);
  if (!node) {
    throw Error(NotFound(
        StrCat("no node \"", name, "\" in graph \"", graph.name(), "\"")));
  }
  return Operation(graph, *node);
}

}  // namespace sluice
