// Why a value is dead: the Switch that sent its data the other way, found after
// the step from what each Switch decided. Of several it is the one a search
// from the value backwards meets first (Death in frame_rules.h), so every run
// names the same.
//
// Plain functions over a flat graph, for error messages.
#pragma once

#include <functional>
#include <optional>
#include <unordered_map>

#include "sluice/graph/frame_rules.h"
#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

// What a Switch decided; nothing when it did not run.
struct Decision {
  bool pred = false;
  std::string place;
};
using Decisions = std::function<std::optional<Decision>(const Node& decider)>;

// Nothing when `value` does not seem dead, or the reason was decided in an
// inner loop that is gone.
std::optional<Death> FindDeath(const Region& region, const Value& value,
                               const Decisions& decisions);

}  // namespace sluice
