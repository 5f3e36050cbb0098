// FormulaWriter: lines of a kernel's source that compute elementwise nodes,
// each by the formula of its op's file, rounded as the node's type asks.
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
  // What the source begins with; the formulas of the nodes added so far, which
  // come before the kernel.
  static std::string_view Includes();
  const std::string& formulas() const { return formulas_; }

  // How the value is called, or what number it is. REQUIRES: named, or added.
  const std::string& Name(const Value& v) const { return names_.at(v); }
  bool Has(const Value& v) const { return names_.count(v) > 0; }
  void SetName(const Value& v, std::string name) {
    names_[v] = std::move(name);
  }
  // Appends the line that computes the node. False: it has no formula.
  bool Add(const Node& node, std::string& lines);

 private:
  std::string SpaceOf(const OpRecord& op);

  std::unordered_map<Value, std::string, ValueHash> names_;
  std::map<std::string, std::string> spaces_;  // by the op's file
  std::string formulas_;
  int count_ = 0;
};

// Lines that split element `flat` of a strided loop into indices, the innermost
// axis first, and do `steps` with each `index` of `axis`. Of the arguments they
// read rank, size and the first bit of packed: whether 32 bits do.
std::string WalkLines(const std::string& steps, std::string_view flat = "i");

}  // namespace sluice
