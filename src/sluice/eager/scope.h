// Scopes: what applies to every op made while they are open, on this thread.
//
//   GraphScope building(graph);     // ops are recorded in this graph
//   NameScope encoder("encoder");   // names begin with "encoder/"
//   ControlScope after({init});     // ops wait for these
//   DeviceScope on("/cpu:0");       // where they should run
//
//   ImperativeScope now;            // ops run at once after all
//
// They nest, and close in reverse order, as C++ does by itself. A GraphScope
// starts afresh: names, controls and device of the scopes around it belong to
// the other graph. Each thread has its own scopes.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/eager/tensor.h"

namespace sluice {

class Device;
class Recording;

namespace front_internal {

class KeptConstants;

// The open scopes of this thread.
struct Building {
  Graph* graph = nullptr;    // null: that of the op's inputs
  Region* region = nullptr;  // null: the graph's root
  std::string scope;
  std::vector<Node*> controls;
  std::string device;
  Graph* locked = nullptr;  // the graph whose lock this thread holds already
  // Of `graph`, while its scope is open; null without one.
  std::shared_ptr<KeptConstants> constants;

  static Building& Current();
};

// Puts back what was there, whatever way the scope is left.
class SavedBuilding {
 public:
  SavedBuilding();
  ~SavedBuilding();
  SavedBuilding(const SavedBuilding&) = delete;
  SavedBuilding& operator=(const SavedBuilding&) = delete;

 private:
  Building saved_;
};

}  // namespace front_internal

class [[nodiscard]] GraphScope : front_internal::SavedBuilding {
 public:
  explicit GraphScope(Graph& graph);
};

class [[nodiscard]] NameScope : front_internal::SavedBuilding {
 public:
  // Throws when the name is empty or begins or ends with a slash.
  explicit NameScope(std::string_view name);
};

class [[nodiscard]] ControlScope : front_internal::SavedBuilding {
 public:
  // Throws when an operation holds nothing or is of another graph than the
  // open one.
  explicit ControlScope(const std::vector<Operation>& before);
};

class [[nodiscard]] DeviceScope : front_internal::SavedBuilding {
 public:
  // Throws when the text names no device.
  explicit DeviceScope(std::string_view device);
  ~DeviceScope();

 private:
  Device* outer_;  // of imperative calls
};

// Inside a GraphScope or a function being recorded: what is done in here is
// done once, now, and becomes no part of either.
class [[nodiscard]] ImperativeScope : front_internal::SavedBuilding {
 public:
  ImperativeScope();
  ~ImperativeScope();

 private:
  Recording* suspended_;
};

// The graph ops are recorded in here. Throws when no GraphScope is open.
Graph& current_graph();

}  // namespace sluice
