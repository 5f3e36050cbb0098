// What the files on graphs share.
#pragma once

#include "common.h"
#include "sluice/eager/sizes.h"
#include "sluice/graph/graph.h"

namespace sluice::py {

// The Python object of a graph. Throws RuntimeError for one that C++ owns.
nb::object GraphObject(Graph& graph);

// The graph that is open on this thread. Throws RuntimeError, which names
// `what`, when there is none.
Graph& OpenGraph(std::string_view what);

// None: nothing is known. A number: a vector. Else a list whose entries may be
// None or -1: not known.
PartialShape ShapeFromPython(nb::handle object, std::string_view what);
nb::object ShapeToPython(const PartialShape& shape);

void BindOperation(nb::module_& m);  // Operation
void BindDevices(nb::module_& m);    // devices and their memory
void BindMemoryForecast(nb::module_& m);
void BindCuda(nb::module_& m);    // GPUs: figures, streams, events
void BindScopes(nb::module_& m);  // name_scope, control_dependencies, ...
void BindGraphGradients(nb::module_& m);  // gradients

// The container given, or that of the innermost `with container(...)`.
std::string ContainerOr(const std::optional<std::string>& container);

}  // namespace sluice::py
