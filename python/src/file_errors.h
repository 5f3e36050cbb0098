// Work on files: without the GIL, and with errors Python programs know.
#pragma once

#include "caller_line.h"
#include "common.h"

namespace sluice::py {

// FileNotFoundError, PermissionError, OSError for what the system refused;
// ValueError for what a file holds. REQUIRES: the GIL.
[[noreturn]] void ThrowFileError(const Error& error);

template <class F>
auto OnFiles(const F& f) -> decltype(f()) {
  try {
    ReleaseGil released;
    return f();
  } catch (const Error& error) {
    ThrowFileError(error);
  }
}

// A str, bytes or os.PathLike as text.
std::string PathOf(nb::handle path);

}  // namespace sluice::py
