// The tokens of one frame in the reference interpreter. Only one iteration of a
// frame runs at a time, so its state is stored in the frame.
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

// The operands that a node has received in the running iteration.
struct Arrivals {
  std::vector<std::optional<Token>> operands;
  std::map<const Node*, Token> controls;
  int first_live = -1;  // the operand that was alive first
  bool ready = false, fired = false;
};

// One activation of a loop; without a parent, the region itself.
struct ReferenceFrame {
  ReferenceFrame* parent = nullptr;
  std::string name;
  uint64_t key = 0;
  int enters_left = 0;  // that have not arrived yet
  int64_t iteration = 0;
  int num_ready = 0;  // pending firings of this iteration
  std::map<std::string, std::unique_ptr<ReferenceFrame>> inner;
  std::unordered_map<const Node*, Arrivals> arrivals;
  std::vector<std::pair<const Node*, Token>> constants;
  std::vector<std::pair<const Node*, Token>> next;  // for the next iteration
  std::vector<std::pair<const Node*, DeathRef>> dead_exits;
  std::set<const Node*> left;  // Exits that delivered a value

  Arrivals& At(const Node& node, const TokenWiring& wiring);
  // Innermost first.
  std::vector<FramePlace> Places() const;
};

// Nodes here and in nested frames that have received some operands and wait for
// others.
std::vector<WaitingNode> WaitingNodes(ReferenceFrame& frame,
                                      const TokenWiring& wiring);

}  // namespace sluice
