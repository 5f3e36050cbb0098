// A node that asks to be on the device of another one, wherever that is: its
// device reads "@name". Placement puts both on one device; where no node of
// that name is left, nothing is asked.
//
// Plain functions; any thread that may read the graph.
#pragma once

#include <string>
#include <string_view>

namespace sluice {

inline std::string TogetherWith(std::string_view node) {
  return "@" + std::string(node);
}
// The name of the other one; empty: the device is a device, or none.
inline std::string_view PartnerOf(std::string_view device) {
  return device.starts_with('@') ? device.substr(1) : std::string_view();
}

}  // namespace sluice
