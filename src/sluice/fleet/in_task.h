// InTask: places ops made on this thread during its lifetime in the task, or,
// if the name is empty, where they would be without any scope.
#pragma once

#include <string>

#include "sluice/eager/scope.h"

namespace sluice::distributed {

class [[nodiscard]] InTask : front_internal::SavedBuilding {
 public:
  explicit InTask(const std::string& task) {
    front_internal::Building::Current().device = task;
  }
};

}  // namespace sluice::distributed
