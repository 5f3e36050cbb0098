#include "sluice/tensor/memory_limit.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>

namespace sluice {

namespace {

std::string ReadAll(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  return text.str();
}

int64_t Find() {
  int64_t bytes = int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  for (const std::string& file :
       LimitFiles(ReadAll("/proc/self/cgroup"), "/sys/fs/cgroup")) {
    int64_t limit = ParseLimit(ReadAll(file));
    if (limit > 0) bytes = std::min(bytes, limit);
  }
  return bytes;
}

}  // namespace

int64_t MemoryLimit() {
  static const int64_t bytes = Find();
  return bytes;
}

int64_t ParseLimit(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) {
    text.remove_suffix(1);
  }
  int64_t value = -1;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && value >= 0 ? value : -1;
}

// Lines are "0::/a/b" for all controllers (version 2), "9:memory:/a/b" for one
// (version 1). Enclosing groups have limits as well.
std::vector<std::string> LimitFiles(std::string_view text,
                                    const std::string& mounted) {
  std::vector<std::string> files;
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    size_t first = line.find(':');
    size_t second = first == line.npos ? first : line.find(':', first + 1);
    if (second == line.npos) continue;
    std::string_view kinds = line.substr(first + 1, second - first - 1);
    std::string group(line.substr(second + 1));
    std::string folder, file;
    if (kinds.empty()) {
      folder = mounted;
      file = "/memory.max";
    } else if (kinds == "memory" || kinds.starts_with("memory,") ||
               kinds.ends_with(",memory") ||
               kinds.find(",memory,") != kinds.npos) {
      folder = mounted + "/memory";
      file = "/memory.limit_in_bytes";
    } else {
      continue;
    }
    while (!group.empty() && group != "/") {
      files.push_back(folder + group + file);
      group.resize(group.rfind('/'));
    }
    files.push_back(folder + file);
  }
  return files;
}

}  // namespace sluice
