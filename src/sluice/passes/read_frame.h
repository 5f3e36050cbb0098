// ReadFrame: what a frame of primitives would be as a loop.
#pragma once

#include <optional>
#include <vector>

#include "sluice/passes/raw_region.h"

namespace sluice {

struct RawLoop {
  // A value that changes from one iteration to the next.
  struct Carried {
    Node *enter, *merge, *next;  // next: several values may have the same
    std::vector<Node*> gates;    // Switches by the LoopCond
    std::vector<Node*> exits;
  };

  Node* cond = nullptr;  // the LoopCond
  std::vector<Carried> carried;
  std::vector<Node*> constants;       // Enters
  std::vector<Node*> constant_gates;  // Switches of these by the LoopCond
  std::vector<Node*> head, body;      // run to decide, run when decided
  std::vector<Node*> exits;
};

// Nothing when the frame is not of the regular form (raise_loops.h), or holds
// primitives that are not its own.
std::optional<RawLoop> ReadFrame(const RawRegion& raw,
                                 const RawRegion::Frame& frame);

}  // namespace sluice
