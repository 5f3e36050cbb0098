// The amount of memory this process may use: the machine's, or less if it runs
// in a container or another control group with a limit.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

// In bytes. Determined once.
int64_t MemoryLimit();

// The files that may hold a limit according to `text`, the contents of
// /proc/self/cgroup: nearest first, below the folder where control groups are
// mounted.
std::vector<std::string> LimitFiles(std::string_view text,
                                    const std::string& mounted);

// Parses a limit from such a file; -1 for "max" and for anything that is not a
// number.
int64_t ParseLimit(std::string_view text);

}  // namespace sluice
