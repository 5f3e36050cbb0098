// The op that brings a value to the host's memory where that pays, and back: an
// Identity that stays where it is put. No state; any thread.
#pragma once

#include "sluice/graph/node.h"

namespace sluice {

inline bool IsSwap(const Node& node) {
  return node.op().internal && node.op().FindAttr("above");
}
inline bool IsSwapOut(const Node& node) {
  return IsSwap(node) && node.attrs().get<bool>("out");
}
// What copies its input to its device, if it has one.
inline bool IsCopy(const Node& node) {
  return node.op().role == Role::kIdentity || IsSwap(node);
}

}  // namespace sluice
