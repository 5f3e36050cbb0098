#include "common.h"
#include "sluice/graph/graph.h"

namespace sluice::py {

void KeepGraph(nanobind::handle holder, const Graph& graph) noexcept {
  nb::object owner = nb::find(graph);
  if (owner.is_valid()) nb::detail::keep_alive(holder.ptr(), owner.ptr());
}

}  // namespace sluice::py
