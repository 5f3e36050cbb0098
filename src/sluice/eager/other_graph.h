// The message for a value that belongs to another graph than the one wanted.
#pragma once

#include <string>
#include <string_view>

#include "sluice/base/strings.h"
#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice::front_internal {

// `"x" belongs to graph "a"; wanted a value of the session's, "b"`. Graphs that
// nobody named have one name: their nodes are told apart by their lines.
// `wanted`: "a value of the session's".
inline std::string OtherGraph(std::string_view name, const Node& node,
                              const Graph& its, const Graph& graph,
                              std::string_view wanted) {
  if (its.name() != graph.name()) {
    return StrCat("\"", name, "\" belongs to graph \"", its.name(),
                  "\"; wanted ", wanted, ", \"", graph.name(), "\"");
  }
  std::string made =
      node.line().known() ? StrCat(", made at ", node.line(), ",") : "";
  return StrCat("\"", name, "\"", made, " belongs to another graph, which is ",
                "called \"", its.name(), "\", too; wanted ", wanted);
}

}  // namespace sluice::front_internal
