#include "common.h"
#include "sluice/graph/graph.h"

namespace sluice::py {

namespace {

// The patient lives as long as the nurse.
void KeepAlive(nb::handle nurse, nb::handle patient) {
#if NB_VERSION_MAJOR >= 3
  NB_CALL(keep_alive_py)(NB_CTX, nurse.ptr(), patient.ptr());
#else
  nb::detail::keep_alive(nurse.ptr(), patient.ptr());
#endif
}

}  // namespace

void KeepGraph(nanobind::handle holder, const Graph& graph) noexcept {
  nb::object owner = nb::find(graph);
  if (owner.is_valid()) KeepAlive(holder, owner);
}

}  // namespace sluice::py
