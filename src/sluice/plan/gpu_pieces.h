// Islands and loops compiled for a GPU. Builds without CUDA have no such device
// and return an error. Plain functions, called by the thread that builds a
// plan; the plan owns the result.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sluice/device/device.h"
#include "sluice/launch/compiled_piece.h"

namespace sluice {

// `nodes` are in topological order; `outputs` are the values read outside.
Result<std::unique_ptr<CompiledPiece>> BuildGpuPiece(
    Device& device, const std::vector<Node*>& nodes,
    const std::vector<Value>& outputs, bool fuse);

// Whether a value is in host memory.
using ValueOnHost = std::function<bool(const Value&)>;

// Why the loop cannot run entirely on one GPU. If it can, the result is empty
// and `device` is set to the name of that GPU.
std::string WhyNotGpuLoop(const Node& loop, const ValueOnHost& on_host,
                          std::string* device);

// REQUIRES: WhyNotGpuLoop returned an empty string. `host_outputs`: which
// results are wanted on the host.
Result<std::unique_ptr<CompiledPiece>> BuildGpuLoop(
    Device& device, const Node& loop, const ValueOnHost& on_host,
    std::vector<bool> host_outputs, bool fuse);

}  // namespace sluice
