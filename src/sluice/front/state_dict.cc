#include "sluice/front/state_dict.h"

#include "sluice/base/error.h"
#include "sluice/base/strings.h"

namespace sluice {

StateDict::StateDict(std::initializer_list<Entry> entries) {
  for (const Entry& e : entries) set(e.first, e.second);
}

void StateDict::set(std::string_view name, Tensor tensor) {
  auto [at, made] = index_.try_emplace(std::string(name), entries_.size());
  if (made) {
    entries_.emplace_back(name, std::move(tensor));
  } else {
    entries_[at->second].second = std::move(tensor);
  }
}

void StateDict::append(std::string_view prefix, const StateDict& other) {
  for (const auto& [name, tensor] : other) set(StrCat(prefix, name), tensor);
}

StateDict StateDict::below(std::string_view prefix) const {
  StateDict part;
  for (const auto& [name, tensor] : entries_) {
    if (!name.starts_with(prefix)) continue;
    part.set(std::string_view(name).substr(prefix.size()), tensor);
  }
  return part;
}

const Tensor* StateDict::find(std::string_view name) const {
  auto at = index_.find(std::string(name));
  return at == index_.end() ? nullptr : &entries_[at->second].second;
}

const Tensor& StateDict::at(std::string_view name) const {
  if (const Tensor* found = find(name)) return *found;
  // The same last part is what a user who forgot a prefix means.
  std::string_view last = name.substr(name.rfind('.') + 1);
  std::vector<std::string> near;
  for (const auto& [other, tensor] : entries_) {
    if (near.size() < 5 && other.ends_with(last)) near.push_back(other);
  }
  throw Error(NotFound(
      StrCat("no tensor \"", name, "\" among ", entries_.size(),
             near.empty() ? "" : StrCat("; there is ", Join(near, ", ")))));
}

}  // namespace sluice
