// Tells where the values of a placed graph are: in the memory of the device of
// their producer, with these rules for values without a single producer:
//
//   Outputs of ops that read only shapes (Shape, Size, Rank) are on the host.
//   A loop-carried value is where the body computes it, or where it comes from
//   if the body only forwards it.
//   A result of a branch is where the first branch has it.
//   Arguments and results of functions are on the host.
//   The caller gives the location of the graph's own arguments.
//
// Built for a graph whose nodes all have a device; the graph may gain nodes
// while it is used. Used by one thread.
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
  // `host`: the device of the host. `args`: the location of each argument of
  // the graph; missing entries mean the host.
  ValuePlaces(std::string host, std::vector<std::string> args)
      : host_(std::move(host)), args_(std::move(args)) {}

  const std::string& host() const { return host_; }
  // Empty only while an enclosing loop is being examined.
  const std::string& PlaceOf(const Value& v);
  // The location that input `i` of the node needs; empty: any.
  std::string WantedAt(const Node& node, int i);

 private:
  const std::string& Find(const Value& v);

  const std::string host_;
  const std::vector<std::string> args_;
  std::unordered_map<Value, std::string, ValueHash> known_;
  // Values being resolved: one that recurs is a value that a loop passes to
  // itself.
  std::unordered_set<Value, ValueHash> open_;
};

}  // namespace sluice
