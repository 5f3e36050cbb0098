// VariablePlacer: says which task a variable of a graph goes to. While a
// PlacerScope is open, on this thread, every variable made without a device of
// its own is asked for once, in the order of the program; its initial value is
// computed there, too, as far as it is written down rather than a tensor.
//
// A DeviceScope inside the PlacerScope counts more. The placer must outlive the
// scope; scopes nest, and the inner one is asked.
#pragma once

#include <string>
#include <string_view>

#include "sluice/eager/scope.h"

namespace sluice {

class VariablePlacer {
 public:
  virtual ~VariablePlacer() = default;
  // A device's name. `bytes` is -1 where sizes are unknown.
  virtual std::string TaskFor(std::string_view name, int64_t bytes) = 0;
};

class [[nodiscard]] PlacerScope {
 public:
  explicit PlacerScope(VariablePlacer& placer);
  ~PlacerScope();
  PlacerScope(const PlacerScope&) = delete;
  PlacerScope& operator=(const PlacerScope&) = delete;

 private:
  friend class PlacedVariable;
  VariablePlacer& placer_;
  const std::string device_;  // of the scopes around it
  PlacerScope* const outer_;
};

// Where a variable of that type goes, for what makes it. Internal to front/.
class [[nodiscard]] PlacedVariable : front_internal::SavedBuilding {
 public:
  PlacedVariable(std::string_view name, DType dtype, const PartialShape& shape);
  ~PlacedVariable();

 private:
  PlacerScope* const scope_;  // asked no more for what this makes
};

}  // namespace sluice
