// Finds out why a value is dead: the Switch that sent its data the other way,
// determined after the step from the decisions of all Switches. If there are
// several, it is the first one that a backward search from the value meets
// (Death in frame_rules.h), so every run names the same one.
//
// Plain functions over a flat graph that must not change meanwhile; used for
// error messages.
#pragma once

#include <functional>
#include <optional>
#include <unordered_map>

#include "sluice/graph/frame_rules.h"
#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

// The decision of a Switch.
struct Decision {
  bool pred = false;
  std::string place;
};
using Decisions = std::function<std::optional<Decision>(const Node& decider)>;

// Empty if `value` does not seem dead, or if the decision was made in an inner
// loop that is gone.
std::optional<Death> FindDeath(const Region& region, const Value& value,
                               const Decisions& decisions);

}  // namespace sluice
