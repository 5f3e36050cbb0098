// Files that may be packed by gzip, whole.
#pragma once

#include <string>

#include "sluice/base/status.h"

namespace sluice {

// The bytes of a file, unpacked where they are gzip data. Messages name the
// file.
Result<std::string> ReadMaybePacked(const std::string& path);

// "\"path\"", as messages name files.
std::string QuotedPath(const std::string& path);

}  // namespace sluice
