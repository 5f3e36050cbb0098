// The user's line: where in the user's program a node, a tensor or a region
// came from. Two words, copied freely; `file` and `function` point to static
// storage or to strings interned for the life of the process.
#pragma once

#include <atomic>
#include <source_location>
#include <string>
#include <string_view>

namespace sluice {

struct SourceLine {
  const char* file = "";
  const char* function = "";
  int line = 0;

  // The calling line of C++ or, during a call from another language, that
  // program's line.
  static SourceLine From(const std::source_location& where) {
    if (FindCaller* find = find_caller.load(std::memory_order_relaxed)) {
      if (SourceLine line = find(); line.known()) return line;
    }
    return {where.file_name(), where.function_name(),
            static_cast<int>(where.line())};
  }

  // Set once, by a binding to another language: returns the line of that
  // language that is calling on this thread; unknown if there is none.
  using FindCaller = SourceLine();
  static constinit std::atomic<FindCaller*> find_caller;

  bool known() const { return line > 0; }
  // "model.cc:41": the file's last path component and the line.
  std::string ToString() const;
};

// A copy of `text` that lives as long as the process; equal texts share it.
const char* InternString(std::string_view text);

}  // namespace sluice
