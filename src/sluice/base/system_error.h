// Converts errors of the system to Status.
#pragma once

#include <string>
#include <string_view>

#include "sluice/base/status.h"

namespace sluice {

// `cannot read "x": No such file or directory`, with a code for the reason.
// `error` is a value of errno.
Status SystemError(std::string_view what, const std::string& path, int error);

// The errno of a SystemError message anywhere in the text; 0 if there is none.
// Python's choice of exception depends on it, and a Status cannot store it.
int SystemErrorNumber(std::string_view message);

// A path with a zero byte would silently become another, shorter path.
Status CheckPath(const std::string& path);

}  // namespace sluice
