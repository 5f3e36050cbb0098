#include "sluice/collective/groups.h"

#include <map>

#include "sluice/base/strings.h"
#include "sluice/base/thread_annotations.h"

namespace sluice::collective {

namespace {

struct Groups {
  Mutex mu;
  std::map<std::string, std::shared_ptr<ProcessGroup>> by_name
      SL_GUARDED_BY(mu);
  // Never destroyed: connections close when the process ends, and no thread of
  // a group is waited for.
  static Groups& Get() {
    static auto* groups = new Groups;
    return *groups;
  }
};

}  // namespace

Status AddGroup(std::shared_ptr<ProcessGroup> group) {
  Groups& groups = Groups::Get();
  MutexLock lock(groups.mu);
  const std::string& name = group->name();
  if (!groups.by_name.emplace(name, group).second) {
    return AlreadyExists(StrCat("there is a process group \"", name,
                                "\" already; wanted it destroyed before"));
  }
  return OkStatus();
}

std::shared_ptr<ProcessGroup> FindGroup(const std::string& name) {
  Groups& groups = Groups::Get();
  MutexLock lock(groups.mu);
  auto it = groups.by_name.find(name);
  return it == groups.by_name.end() ? nullptr : it->second;
}

Result<std::shared_ptr<ProcessGroup>> NeedGroup(const std::string& name) {
  if (std::shared_ptr<ProcessGroup> group = FindGroup(name)) return group;
  return FailedPrecondition(StrCat("there is no process group \"", name,
                                   "\"; wanted init_process_group() before"));
}

std::shared_ptr<ProcessGroup> RemoveGroup(const std::string& name) {
  Groups& groups = Groups::Get();
  MutexLock lock(groups.mu);
  auto it = groups.by_name.find(name);
  if (it == groups.by_name.end()) return nullptr;
  std::shared_ptr<ProcessGroup> group = std::move(it->second);
  groups.by_name.erase(it);
  return group;
}

}  // namespace sluice::collective
