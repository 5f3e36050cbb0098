// The system's errors as ours.
#pragma once

#include <string>
#include <string_view>

#include "sluice/base/status.h"

namespace sluice {

// `cannot read "x": No such file or directory`, with a code for the reason.
// `error` is a value of errno.
Status SystemError(std::string_view what, const std::string& path, int error);

// The errno that a message of SystemError contains, wherever in the text; 0
// where it contains none. Python's choice of exception depends on it, and a
// Status has no room for it.
int SystemErrorNumber(std::string_view message);

// A path with a zero byte would silently be another, shorter path.
Status CheckPath(const std::string& path);

}  // namespace sluice
