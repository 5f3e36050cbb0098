#include "sluice/op/autocast_rule.h"

#include <map>
#include <string>

namespace sluice {

namespace {

using Rules = std::map<std::string, AutocastRule, std::less<>>;

Rules& All() {
  static auto* rules = new Rules();  // ops are asked until the process ends
  return *rules;
}

}  // namespace

AutocastRule AutocastRuleOf(std::string_view op) {
  auto found = All().find(op);
  return found == All().end() ? AutocastRule::kAsGiven : found->second;
}

std::vector<std::string_view> OpsWithAutocastRules() {
  std::vector<std::string_view> names;
  for (const auto& [name, rule] : All()) names.push_back(name);
  return names;
}

bool autocast_internal::Add(std::string_view op, AutocastRule rule) {
  return All().emplace(op, rule).second;
}

}  // namespace sluice
