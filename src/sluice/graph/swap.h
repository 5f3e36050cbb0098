// The op that moves a value to host memory where that pays off, and back: an
// Identity that stays where it is placed. No state; any thread.
#pragma once

#include "sluice/graph/node.h"

namespace sluice {

inline bool IsSwap(const Node& node) {
  return node.op().internal && node.op().FindAttr("above");
}
inline bool IsSwapOut(const Node& node) {
  return IsSwap(node) && node.attrs().get<bool>("out");
}
// Nodes that copy their input to their device, if they have one.
inline bool IsCopy(const Node& node) {
  return node.op().role == Role::kIdentity || IsSwap(node);
}

}  // namespace sluice
