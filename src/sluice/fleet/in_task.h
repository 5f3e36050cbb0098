// InTask: ops made while it is open, on this thread, are in that task, or
// wherever they would be without any scope where the name is empty.
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
