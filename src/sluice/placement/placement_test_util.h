// Devices and graphs for placement tests.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/strings.h"
#include "sluice/graph/text_parser.h"
#include "sluice/placement/placer.h"

namespace sluice {

// Devices with these full names and the default models.
inline PlacementOptions DevicesNamed(const std::vector<std::string>& names) {
  PlacementOptions options;
  for (const std::string& name : names) {
    options.devices.push_back({.name = *DeviceName::Parse(name)});
  }
  return options;
}

inline std::unique_ptr<Graph> ParsedGraph(std::string_view text) {
  Result<std::unique_ptr<Graph>> graph = ParseGraph(text);
  EXPECT_TRUE(graph.ok()) << graph.status().message() << "\n" << text;
  return graph.ok() ? std::move(*graph) : std::make_unique<Graph>("broken");
}

// "a cpu:0, b sim:1": for every node of the region and nested ones, its name
// and the part of its device after "/device:".
inline std::string PlacesIn(const Region& region) {
  std::string out;
  for (const Node* node : region.nodes()) {
    std::string device = node->device();
    size_t at = device.find("/device:");
    if (at != device.npos) device.erase(at, 8);
    StrAppend(out, out.empty() ? "" : ", ", node->name(), " ", device);
    for (const auto& inner : node->regions()) {
      std::string more = PlacesIn(*inner);
      if (!more.empty()) StrAppend(out, ", ", more);
    }
  }
  return out;
}

}  // namespace sluice
