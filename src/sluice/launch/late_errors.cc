#include "sluice/launch/late_errors.h"

#include <unordered_map>

#include "sluice/base/thread_annotations.h"

namespace sluice {

namespace {

struct LateErrors {
  Mutex mu;
  std::unordered_map<const Device*, Status> first SL_GUARDED_BY(mu);

  static LateErrors& Get() {
    static auto* errors = new LateErrors;
    return *errors;
  }
};

}  // namespace

void NoteLateError(const Device& device, const Status& status) {
  LateErrors& errors = LateErrors::Get();
  MutexLock lock(errors.mu);
  errors.first.emplace(&device, status);
}

Status TakeLateError(const Device& device) {
  LateErrors& errors = LateErrors::Get();
  MutexLock lock(errors.mu);
  auto it = errors.first.find(&device);
  if (it == errors.first.end()) return OkStatus();
  Status status = std::move(it->second);
  errors.first.erase(it);
  return status;
}

}  // namespace sluice
