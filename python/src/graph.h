// Declarations shared by the files on graphs.
#pragma once

#include "common.h"
#include "sluice/eager/sizes.h"
#include "sluice/graph/graph.h"

namespace sluice::py {

// The Python object of a graph. Throws RuntimeError if C++ owns the graph.
nb::object GraphObject(Graph& graph);

// The open graph of this thread. Throws RuntimeError, which names `what`, if
// there is none.
Graph& OpenGraph(std::string_view what);

// None: unknown. A number: a vector. Otherwise a list whose entries may be None
// or -1: unknown.
PartialShape ShapeFromPython(nb::handle object, std::string_view what);
nb::object ShapeToPython(const PartialShape& shape);

void BindOperation(nb::module_& m);  // Operation
void BindDevices(nb::module_& m);    // devices and their memory
void BindMemoryForecast(nb::module_& m);
void BindCuda(nb::module_& m);    // GPUs: figures, streams, events
void BindScopes(nb::module_& m);  // name_scope, control_dependencies, ...
void BindGraphGradients(nb::module_& m);  // gradients

// The given container, or that of the innermost `with container(...)`.
std::string ContainerOr(const std::optional<std::string>& container);

}  // namespace sluice::py
