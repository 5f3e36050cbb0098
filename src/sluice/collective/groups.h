// The process groups of this process, by name; ops look up theirs here. "world"
// is the group of all ranks.
//
// Thread safe. A group stays alive while it is held.
#pragma once

#include <memory>
#include <string>

#include "sluice/collective/process_group.h"

namespace sluice::collective {

// Error: a group of this name exists.
Status AddGroup(std::shared_ptr<ProcessGroup> group);
// Null if there is none.
std::shared_ptr<ProcessGroup> FindGroup(const std::string& name);
// The same, with an error that says how to make a group.
Result<std::shared_ptr<ProcessGroup>> NeedGroup(const std::string& name);
// Removes and returns the group; null if there is none.
std::shared_ptr<ProcessGroup> RemoveGroup(const std::string& name);

}  // namespace sluice::collective
