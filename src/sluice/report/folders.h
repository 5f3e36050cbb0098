// Making the folders a report goes to.
#pragma once

#include <string>

#include "sluice/base/status.h"

namespace sluice::report {

// Makes a folder and those around it, as far as they are not there. The error
// names the path and the system's reason.
Status MakeFolders(const std::string& path);
// The same for the folder a file is in.
Status MakeFoldersFor(const std::string& file);

}  // namespace sluice::report
