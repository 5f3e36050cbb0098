// ModuleWalk: everything in a module and below it, with names, in PyTorch's
// order: what a module has itself, then its children one after the other.
#pragma once

#include <string>
#include <unordered_set>

#include "sluice/nn/module.h"

namespace sluice::nn {

class ModuleWalk {
 public:
  // Calls visit(prefix, module) for every module; a prefix ends with a dot.
  template <class Visit>
  static void Modules(Module& root, bool once, Visit&& visit) {
    std::unordered_set<const Module*> seen;
    Walk(root, "", once ? &seen : nullptr, visit);
  }

  using Entries = std::vector<Module::Entry>;
  static const Entries& Parameters(const Module& m) { return m.parameters_; }
  static const Entries& Buffers(const Module& m) { return m.buffers_; }
  // "(fc1): " of the children.
  static std::vector<std::pair<std::string, const Module*>> Children(
      const Module& m) {
    std::vector<std::pair<std::string, const Module*>> all;
    for (const auto& c : m.children_) all.emplace_back(c.name, c.module);
    return all;
  }

 private:
  template <class Visit>
  static void Walk(Module& module, const std::string& prefix,
                   std::unordered_set<const Module*>* seen, Visit& visit) {
    if (seen && !seen->insert(&module).second) return;
    visit(prefix, module);
    for (const auto& child : module.children_) {
      Walk(*child.module, prefix + child.name + ".", seen, visit);
    }
  }
};

}  // namespace sluice::nn
