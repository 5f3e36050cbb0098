// Loops with save = "host": residuals are kept in host memory. Their lists are
// on the host, so values are copied there when appended (Swap) and back when
// the gradient reads them, both on separate streams while the device computes.
//
// The caller holds the graph's lock.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

bool SavesOnHost(const Node& loop);

// The host of a device: "/job:a/task:1/device:cpu:0" for a name in that task;
// "/device:cpu:0" for a name without a task, or an empty one.
std::string HostBeside(const std::string& device);

// AddBeside for an op on a list of residuals.
Result<Node*> AddKeeping(Graph& graph, Region& region, const Node& loop,
                         std::string_view op, std::span<const Value> inputs,
                         const Attrs& attrs = {});

// The value to append instead of `v`: its copy to the host, or `v` itself if it
// is a list or already such a copy.
Result<Value> SwappedOut(Graph& graph, Node& loop, const Value& v);

// Copies `read`, the residual for `v`, back to the device of `v`.
Result<Value> SwappedIn(Graph& graph, Region& region, const Node& loop,
                        const Value& read, const Value& v);

// Whether an appended value is `v` or its copy.
bool IsSame(const Value& appended, const Value& v);

}  // namespace sluice
