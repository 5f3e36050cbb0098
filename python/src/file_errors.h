// File operations: without the GIL, and with Python's usual exceptions.
#pragma once

#include "caller_line.h"
#include "common.h"

namespace sluice::py {

// FileNotFoundError, PermissionError, OSError for system errors; ValueError for
// errors in a file's contents. REQUIRES: the GIL.
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
