// Where values of a placed graph lie: in the memory of the device of the node
// that makes them, with these rules for what has no single maker:
//
//   What ops say of shapes alone (Shape, Size, Rank) is for the host.
//   A value carried round a loop lies where the body makes it, or where it
//   comes from when the body only hands it on.
//   A result of a branch lies where the first branch has it.
//   Arguments and results of functions lie on the host.
//   The graph's own arguments lie where the caller says.
//
// Made for a graph whose nodes all have a device; the graph may gain nodes
// while it is used. One thread.
#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {

class ValuePlaces {
 public:
  // `host`: the device of the host. `args`: where each of the graph's arguments
  // lies; the host for those that are not there.
  ValuePlaces(std::string host, std::vector<std::string> args)
      : host_(std::move(host)), args_(std::move(args)) {}

  const std::string& host() const { return host_; }
  // Empty only while a loop around it is being looked at.
  const std::string& PlaceOf(const Value& v);
  // Where input `i` of the node must lie; empty: anywhere.
  std::string WantedAt(const Node& node, int i);

 private:
  const std::string& Find(const Value& v);

  const std::string host_;
  const std::vector<std::string> args_;
  std::unordered_map<Value, std::string, ValueHash> known_;
  // Being found: met again, it is a value that a loop hands on to itself.
  std::unordered_set<Value, ValueHash> open_;
};

}  // namespace sluice
