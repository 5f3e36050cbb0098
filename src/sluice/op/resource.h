// ResourceManager: named state that outlives a step. A resource lives in a
// container under a name; the container with the empty name is the default and
// lives as long as the manager. Reset() drops an entire container.
//
// Thread safe. Handles keep their resource alive after a Reset; a plan learns
// from generation() that it must look up its handles again.
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

  // The resource with that name, created by `create` if there is none. `check`
  // returns whether an existing one may be shared (same kind, dtype, capacity).
  Result<Ref<ResourceBase>> FindOrCreate(
      std::string_view container, std::string_view name, const Create& create,
      const std::function<Status(const ResourceBase&)>& check);
  Result<Ref<ResourceBase>> Find(std::string_view container,
                                 std::string_view name) const;
  Status Erase(std::string_view container, std::string_view name);
  void Reset(std::string_view container);

  // Increases whenever a resource is removed.
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
