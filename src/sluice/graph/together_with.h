// A node that must be on the same device as another one: its device is "@name".
// Placement puts both on one device; if no node with that name is left, there
// is no constraint.
//
// Plain functions; any thread that may read the graph.
#pragma once

#include <string>
#include <string_view>

namespace sluice {

inline std::string TogetherWith(std::string_view node) {
  return "@" + std::string(node);
}
// The name of the other node; empty if `device` is a real device or empty.
inline std::string_view PartnerOf(std::string_view device) {
  return device.starts_with('@') ? device.substr(1) : std::string_view();
}

}  // namespace sluice
