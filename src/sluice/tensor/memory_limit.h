// How much memory this process may use: the machine's, or less where it runs in
// a container or another control group with a limit of its own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

// Bytes. Looked up once.
int64_t MemoryLimit();

// What /proc/self/cgroup, `text`, says: the files that may hold a limit,
// nearest first, below the folder where control groups are mounted.
std::vector<std::string> LimitFiles(std::string_view text,
                                    const std::string& mounted);

// A limit as those files have it; -1 for "max" and what is no number.
int64_t ParseLimit(std::string_view text);

}  // namespace sluice
