// Islands on a GPU. In builds without CUDA there is no such device, and this
// refuses.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sluice/device/device.h"
#include "sluice/launch/compiled_piece.h"

namespace sluice {

// `nodes`: in topological order; `outputs`: values somebody outside reads.
Result<std::unique_ptr<CompiledPiece>> BuildGpuPiece(
    Device& device, const std::vector<Node*>& nodes,
    const std::vector<Value>& outputs, bool fuse);

// Whether a value lies in the host's memory.
using ValueOnHost = std::function<bool(const Value&)>;

// Why a loop cannot stay on one GPU; empty when it can, with its name.
std::string WhyNotGpuLoop(const Node& loop, const ValueOnHost& on_host,
                          std::string* device);

// REQUIRES: WhyNotGpuLoop says nothing. `host_outputs`: results that are wanted
// on the host.
Result<std::unique_ptr<CompiledPiece>> BuildGpuLoop(
    Device& device, const Node& loop, const ValueOnHost& on_host,
    std::vector<bool> host_outputs, bool fuse);

}  // namespace sluice
