#include "sluice/op/by_library.h"

#include <set>
#include <string>

namespace sluice {

namespace {

using Names = std::set<std::string, std::less<>>;

Names& All() {
  static auto* names = new Names();  // asked until the process ends
  return *names;
}

}  // namespace

bool IsByLibrary(std::string_view op) { return All().contains(op); }

bool by_library_internal::Add(std::string_view op) {
  return All().emplace(op).second;
}

}  // namespace sluice
