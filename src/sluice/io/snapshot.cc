#include "sluice/io/snapshot.h"

#include <algorithm>
#include <limits>

#include "sluice/base/error.h"
#include "sluice/base/strings.h"

namespace sluice::io {

namespace {

bool IsFileName(std::string_view name) {
  return !name.empty() && name.size() <= 100 &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                  (c >= '0' && c <= '9') || c == '_' || c == '-';
         });
}

}  // namespace

void Snapshot::set(std::string_view section, StateDict state) {
  if (!IsFileName(section)) {
    throw Error(InvalidArgument(
        StrCat("a section of a snapshot is called \"", EscapeString(section),
               "\"; wanted letters, digits, \"_\" and \"-\"")));
  }
  for (auto& [name, there] : sections_) {
    if (name != section) continue;
    there = std::move(state);
    return;
  }
  sections_.emplace_back(section, std::move(state));
}

const StateDict* Snapshot::find(std::string_view section) const {
  for (const auto& [name, state] : sections_) {
    if (name == section) return &state;
  }
  return nullptr;
}

const StateDict& Snapshot::at(std::string_view section) const {
  if (const StateDict* found = find(section)) return *found;
  std::vector<std::string> names;
  for (const auto& [name, state] : sections_) names.push_back(name);
  throw Error(
      NotFound(StrCat("the snapshot of step ", step, " has no section \"",
                      EscapeString(section), "\"; it has ",
                      names.empty() ? "none" : Join(names, ", "))));
}

double Snapshot::metric(std::string_view name) const {
  for (const auto& [metric, value] : metrics) {
    if (metric == name) return value;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace sluice::io
