// The groups of this process, by name: how ops find theirs. "world" is the one
// of all ranks.
//
// Thread safe. What is found stays alive while it is held.
#pragma once

#include <memory>
#include <string>

#include "sluice/collective/process_group.h"

namespace sluice::collective {

// Error: there is one of its name.
Status AddGroup(std::shared_ptr<ProcessGroup> group);
// Null when there is none.
std::shared_ptr<ProcessGroup> FindGroup(const std::string& name);
// The same as an error that says how to make one.
Result<std::shared_ptr<ProcessGroup>> NeedGroup(const std::string& name);
// Takes it away; null when there is none.
std::shared_ptr<ProcessGroup> RemoveGroup(const std::string& name);

}  // namespace sluice::collective
