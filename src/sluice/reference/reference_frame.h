// The tokens of one frame under the reference interpreter. Only one iteration
// of a frame runs at a time, so what belongs to an iteration is kept in the
// frame itself.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sluice/graph/frame_rules.h"
#include "sluice/reference/reference_wiring.h"

namespace sluice {

using DeathRef = std::shared_ptr<const Death>;

struct Token {
  Array value;
  DeathRef death{};  // null: alive
};

// What a node has got in the running iteration.
struct Arrivals {
  std::vector<std::optional<Token>> operands;
  std::map<const Node*, Token> controls;
  int first_live = -1;  // which operand came alive first
  bool ready = false, fired = false;
};

// One entrance into a loop; without a parent, the region itself.
struct ReferenceFrame {
  ReferenceFrame* parent = nullptr;
  std::string name;
  uint64_t key = 0;
  int enters_left = 0;  // that have not come yet
  int64_t iteration = 0;
  int num_ready = 0;  // firings of this iteration that are due
  std::map<std::string, std::unique_ptr<ReferenceFrame>> inner;
  std::unordered_map<const Node*, Arrivals> arrivals;
  std::vector<std::pair<const Node*, Token>> constants;
  std::vector<std::pair<const Node*, Token>> next;  // for the next iteration
  std::vector<std::pair<const Node*, DeathRef>> dead_exits;
  std::set<const Node*> left;  // Exits that brought a value out

  Arrivals& At(const Node& node, const TokenWiring& wiring);
  // Innermost first.
  std::vector<FramePlace> Places() const;
};

// Nodes here and in frames inside that have got something and wait for more.
std::vector<WaitingNode> WaitingNodes(ReferenceFrame& frame,
                                      const TokenWiring& wiring);

}  // namespace sluice
