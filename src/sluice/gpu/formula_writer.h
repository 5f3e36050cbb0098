// FormulaWriter: source lines of a kernel that compute elementwise nodes, each
// by the formula in its op's file, rounded to the node's type.
//
// Used while one source is written, by one thread.
#pragma once

#include <map>
#include <string>
#include <unordered_map>

#include "sluice/graph/node.h"

namespace sluice {

class FormulaWriter {
 public:
  // Includes: the start of the source. formulas: the formulas of the nodes
  // added so far, which precede the kernel.
  static std::string_view Includes();
  const std::string& formulas() const { return formulas_; }

  // The variable or literal for the value. REQUIRES: named, or added.
  const std::string& Name(const Value& v) const { return names_.at(v); }
  bool Has(const Value& v) const { return names_.count(v) > 0; }
  void SetName(const Value& v, std::string name) {
    names_[v] = std::move(name);
  }
  // Appends the line that computes the node. False if it has no formula.
  bool Add(const Node& node, std::string& lines);

 private:
  std::string SpaceOf(const OpRecord& op);

  std::unordered_map<Value, std::string, ValueHash> names_;
  std::map<std::string, std::string> spaces_;  // by the op's file
  std::string formulas_;
  int count_ = 0;
};

// Lines that split element `flat` of a strided loop into indices, innermost
// axis first, and perform `steps` for each `index` of `axis`. They use the
// arguments rank, size and the first bit of packed, which says whether 32 bits
// are enough.
std::string WalkLines(const std::string& steps, std::string_view flat = "i");

}  // namespace sluice
