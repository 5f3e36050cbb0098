// Creates the folders for a report.
#pragma once

#include <string>

#include "sluice/base/status.h"

namespace sluice::report {

// Creates a folder and its missing parents. The error names the path and the
// system's reason.
Status MakeFolders(const std::string& path);
// The same for the parent folder of a file.
Status MakeFoldersFor(const std::string& file);

}  // namespace sluice::report
