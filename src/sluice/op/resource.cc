#include "sluice/op/resource.h"

#include "sluice/base/strings.h"

namespace sluice {

Result<Ref<ResourceBase>> ResourceManager::FindOrCreate(
    std::string_view container, std::string_view name, const Create& create,
    const std::function<Status(const ResourceBase&)>& check) {
  MutexLock lock(mu_);
  auto c = containers_.find(container);
  if (c == containers_.end()) {
    c = containers_.emplace(std::string(container), Container()).first;
  }
  auto r = c->second.find(name);
  if (r != c->second.end()) {
    SL_RETURN_IF_ERROR(check(*r->second));
    return r->second;
  }
  SL_ASSIGN_OR_RETURN(Ref<ResourceBase> made, create());
  c->second.emplace(std::string(name), made);
  return made;
}

Result<Ref<ResourceBase>> ResourceManager::Find(std::string_view container,
                                                std::string_view name) const {
  MutexLock lock(mu_);
  auto c = containers_.find(container);
  if (c != containers_.end()) {
    auto r = c->second.find(name);
    if (r != c->second.end()) return r->second;
  }
  return NotFound(
      StrCat("no resource \"", name, "\" in container \"", container, "\""));
}

Status ResourceManager::Erase(std::string_view container,
                              std::string_view name) {
  Ref<ResourceBase> doomed;  // destroyed after the lock is released
  MutexLock lock(mu_);
  auto c = containers_.find(container);
  if (c != containers_.end()) {
    auto r = c->second.find(name);
    if (r != c->second.end()) {
      doomed = std::move(r->second);
      c->second.erase(r);
      generation_.fetch_add(1, std::memory_order_release);
      return OkStatus();
    }
  }
  return NotFound(
      StrCat("no resource \"", name, "\" in container \"", container, "\""));
}

void ResourceManager::Reset(std::string_view container) {
  Container doomed;
  {
    MutexLock lock(mu_);
    auto c = containers_.find(container);
    if (c == containers_.end()) return;
    doomed.swap(c->second);
    containers_.erase(c);
    generation_.fetch_add(1, std::memory_order_release);
  }
}

std::vector<std::string> ResourceManager::Names(
    std::string_view container) const {
  std::vector<std::string> names;
  MutexLock lock(mu_);
  auto c = containers_.find(container);
  if (c != containers_.end()) {
    for (const auto& [name, resource] : c->second) names.push_back(name);
  }
  return names;
}

}  // namespace sluice
