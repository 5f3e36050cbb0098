// Variables of a graph to and from a safetensors file, as operations of the
// graph: a session runs them where it wants to.
//
//   auto save = sl::save_variables(graph, "net.safetensors");
//   auto restore = sl::restore_variables(graph, "net.safetensors");
//   session.run(restore);              // instead of initialize_variables
//   ...
//   session.run(save);
//
// The path may be a tensor of strings, too, which a run is then fed.
#pragma once

#include <source_location>
#include <string>
#include <utility>
#include <vector>

#include "sluice/eager/operand.h"

namespace sluice {

struct VariableFileOptions {
  // Names of variables; empty: all that the graph has so far.
  std::vector<std::string> only{};
  // From a variable's name to its name in the file.
  std::vector<std::pair<std::string, std::string>> rename{};
};

// Both throw when the options name a variable that the graph has not.
Operation save_variables(
    Graph& graph, const Operand& path, const VariableFileOptions& options = {},
    std::source_location where = std::source_location::current());
// Assigns nothing before everything has been read: when the file lacks a name,
// or has it with another type or shape, no variable changes.
Operation restore_variables(
    Graph& graph, const Operand& path, const VariableFileOptions& options = {},
    std::source_location where = std::source_location::current());

}  // namespace sluice
