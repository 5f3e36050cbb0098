// What the handles of queues, tables and the like share: how their nodes are
// made. Internal to front/.
#pragma once

#include <source_location>
#include <span>
#include <string_view>
#include <vector>

#include "sluice/eager/call.h"
#include "sluice/eager/sizes.h"

namespace sluice {

struct ResourceOptions {
  std::string name{};         // of the node
  std::string container{};    // which container it lives in
  std::string shared_name{};  // its name there; empty: the node's name
};

namespace front_internal {

// The node that names the resource. Handles wait for nothing.
Tensor MakeHandle(std::string_view op, Attrs attrs,
                  const ResourceOptions& options, std::source_location where);

// A node that uses it: the handle, then the operands.
Operation UseHandle(std::string_view op, const Tensor& handle,
                    std::span<const Operand> operands, const Attrs& attrs,
                    std::source_location where);
std::vector<Tensor> Outputs(const Operation& operation);

}  // namespace front_internal
}  // namespace sluice
