// ResourceManager: named state that outlives a step. A resource lives in a
// container under a name; the empty container name is the default one, which
// lives as long as the manager. Reset() drops a container whole.
//
// Thread safe. Handles keep their resource alive after a Reset; a plan notices
// by generation() that it must look its handles up again.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/status.h"
#include "sluice/base/thread_annotations.h"
#include "sluice/tensor/resource_base.h"

namespace sluice {

class ResourceManager {
 public:
  using Create = std::function<Result<Ref<ResourceBase>>()>;

  // The resource of that name, made by `create` when there is none. `check`
  // says whether an existing one may be shared (same kind, dtype, capacity).
  Result<Ref<ResourceBase>> FindOrCreate(
      std::string_view container, std::string_view name, const Create& create,
      const std::function<Status(const ResourceBase&)>& check);
  Result<Ref<ResourceBase>> Find(std::string_view container,
                                 std::string_view name) const;
  Status Erase(std::string_view container, std::string_view name);
  void Reset(std::string_view container);

  // Grows whenever a resource disappears.
  int64_t generation() const {
    return generation_.load(std::memory_order_acquire);
  }
  std::vector<std::string> Names(std::string_view container) const;

 private:
  using Container = std::map<std::string, Ref<ResourceBase>, std::less<>>;
  std::atomic<int64_t> generation_{0};
  mutable Mutex mu_;
  std::map<std::string, Container, std::less<>> containers_ SL_GUARDED_BY(mu_);
};

}  // namespace sluice
