// Loops with save = "host": what they keep for their gradient lies in the
// host's memory. The lists are the host's, so values are copied there as they
// are appended (Swap) and back where the gradient reads them, both on
// streams of their own while the device computes.
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

// The host beside a device: "/job:a/task:1/device:cpu:0" for a name in that
// task; "/device:cpu:0" for one that says nothing of tasks, or nothing.
std::string HostBeside(const std::string& device);

// AddBeside for an op on a list of what the loop keeps.
Result<Node*> AddKeeping(Graph& graph, Region& region, const Node& loop,
                         std::string_view op, std::span<const Value> inputs,
                         const Attrs& attrs = {});

// What is appended instead of `v`: `v` on its way to the host; `v` itself when
// it is a list, or already is one on its way.
Result<Value> SwappedOut(Graph& graph, Node& loop, const Value& v);

// `read`, which stands for `v` in the gradient, where `v` is: on its way back.
Result<Value> SwappedIn(Graph& graph, Region& region, const Node& loop,
                        const Value& read, const Value& v);

// Whether an appended value is `v`, perhaps on its way.
bool IsSame(const Value& appended, const Value& v);

}  // namespace sluice
