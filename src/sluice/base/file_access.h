// FileAccess: which files the ops of this process may touch: all of them,
// unless the process is a server that runs other people's graphs, which is
// confined to folders.
//
// Confine is called once, before there are other threads; Check from any.
#pragma once

#include <string>
#include <vector>

#include "sluice/base/status.h"

namespace sluice {

struct FileAccess {
  // From now on ops may touch only what lies in these folders; none: nothing.
  static void Confine(const std::vector<std::string>& folders);
  // Links and ".." are followed first. Error: FailedPrecondition.
  static Status Check(const std::string& path);
};

}  // namespace sluice
