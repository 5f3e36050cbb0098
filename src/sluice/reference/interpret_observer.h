// InterpretObserver: sees every node that the reference interpreter runs, with
// its values and iterations; the basis of debugging.
//
// Called on the interpreting thread, one node at a time. Its arguments are
// valid until the call returns.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sluice/graph/node.h"

namespace sluice {

// An iteration of a loop or a frame, or a call; linked to the enclosing one.
struct FlowPlace {
  const FlowPlace* outer = nullptr;
  const Node* node = nullptr;  // a While or a Call; null: a raw frame
  std::string frame{};
  int64_t iteration = 0;

  bool is_loop() const { return !node || node->op().flow == Flow::kLoop; }
};

// The places, outermost first.
inline std::vector<const FlowPlace*> PlacesFrom(const FlowPlace* innermost) {
  std::vector<const FlowPlace*> places;
  for (; innermost; innermost = innermost->outer) {
    places.insert(places.begin(), innermost);
  }
  return places;
}

class InterpretObserver {
 public:
  virtual ~InterpretObserver() = default;
  // An error ends the run.
  virtual Status Before(const Node& node, const FlowPlace* place,
                        std::span<const Array> inputs) = 0;
  // Dead outputs are empty; for a dead node Before was not called.
  virtual Status After(const Node& node, const FlowPlace* place,
                       std::span<const Array> outputs) = 0;
};

}  // namespace sluice
