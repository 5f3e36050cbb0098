// FileAccess: the files that the ops of this process may access: all of them,
// unless the process is a server that runs other people's graphs and is
// confined to folders.
//
// Confine is called once, before there are other threads; Check from any.
#pragma once

#include <string>
#include <vector>

#include "sluice/base/status.h"

namespace sluice {

struct FileAccess {
  // From now on ops may only access files in these folders; no folders: no
  // files.
  static void Confine(const std::vector<std::string>& folders);
  // Resolves links and ".." first. Error: FailedPrecondition.
  static Status Check(const std::string& path);
};

}  // namespace sluice
