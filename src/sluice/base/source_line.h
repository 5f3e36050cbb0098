// The user's line: where in the user's program a node, a tensor or a region
// came from. Two words, copied freely; `file` and `function` point at static
// storage or at strings interned for the life of the process.
#pragma once

#include <source_location>
#include <string>
#include <string_view>

namespace sluice {

struct SourceLine {
  const char* file = "";
  const char* function = "";
  int line = 0;

  static SourceLine From(const std::source_location& where) {
    return {where.file_name(), where.function_name(),
            static_cast<int>(where.line())};
  }

  bool known() const { return line > 0; }
  // "model.cc:41": the file's last path component and the line.
  std::string ToString() const;
};

// A copy of `text` that lives as long as the process; equal texts share it.
const char* InternString(std::string_view text);

}  // namespace sluice
