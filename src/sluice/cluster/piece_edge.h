// PieceEdge: one end of an edge between tasks, read from a node's attributes
// (partition/split_by_task.h).
//
// A value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sluice/graph/node.h"

namespace sluice::cluster {

struct PieceEdge {
  uint32_t number = 0;
  bool sends = false;  // else: receives
  std::string task;    // of the other end
};

// Nothing for nodes that are not an end of an edge.
inline std::optional<PieceEdge> EdgeOf(const Node& node) {
  const AttrValue* number = node.attrs().find("edge");
  const AttrValue* from = node.attrs().find("from");
  const AttrValue* to = node.attrs().find("to");
  if (!number || !from || !to) return std::nullopt;
  PieceEdge edge;
  edge.number = static_cast<uint32_t>(number->get<int64_t>());
  edge.sends = node.num_outputs() == 0;
  edge.task = (edge.sends ? to : from)->get<std::string>();
  return edge;
}

}  // namespace sluice::cluster
