// ReadFrame: reads a frame of primitives as a loop. One thread; no other
// changes the graph meanwhile.
#pragma once

#include <optional>
#include <vector>

#include "sluice/passes/raw_region.h"

namespace sluice {

struct RawLoop {
  // A value that changes from one iteration to the next.
  struct Carried {
    Node *enter, *merge, *next;  // `next` may be shared by several values
    std::vector<Node*> gates;    // Switches controlled by the LoopCond
    std::vector<Node*> exits;
  };

  Node* cond = nullptr;  // the LoopCond
  std::vector<Carried> carried;
  std::vector<Node*> constants;       // Enters
  std::vector<Node*> constant_gates;  // Switches of constants by the LoopCond
  std::vector<Node*> head, body;      // before the LoopCond, after it
  std::vector<Node*> exits;
};

// Empty if the frame is not of the regular form (raise_loops.h) or contains
// foreign primitives.
std::optional<RawLoop> ReadFrame(const RawRegion& raw,
                                 const RawRegion::Frame& frame);

}  // namespace sluice
