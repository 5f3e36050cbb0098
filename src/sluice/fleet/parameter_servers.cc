#include "sluice/fleet/parameter_servers.h"

#include <algorithm>
#include <set>

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/device/device_name.h"

namespace sluice::distributed {

ParameterServers::ParameterServers(std::vector<std::string> tasks,
                                   Spread spread)
    : tasks_(std::move(tasks)), spread_(spread), bytes_(tasks_.size(), 0) {
  if (tasks_.empty()) {
    throw Error(InvalidArgument(
        "parameter_servers: there are no tasks; wanted at least one"));
  }
  std::set<std::string> seen;
  for (const std::string& task : tasks_) {
    Result<DeviceName> name = DeviceName::Parse(task);
    if (!name.ok() || name->job.empty() || !name->task) {
      throw Error(InvalidArgument(
          StrCat("parameter_servers: \"", task,
                 "\" names no task; wanted a name like \"/job:ps/task:0\"")));
    }
    if (!seen.insert(name->ToString()).second) {
      throw Error(InvalidArgument(
          StrCat("parameter_servers: the task \"", task, "\" is there twice")));
    }
  }
}

std::string ParameterServers::TaskFor(std::string_view, int64_t bytes) {
  size_t at = next_;
  if (spread_ == Spread::kBySize) {
    at = static_cast<size_t>(std::min_element(bytes_.begin(), bytes_.end()) -
                             bytes_.begin());
  }
  next_ = (next_ + 1) % tasks_.size();
  // Unknown sizes count as one byte, so that they do not all go to one task.
  Note(at, std::max<int64_t>(bytes, 1));
  return tasks_[at];
}

}  // namespace sluice::distributed
