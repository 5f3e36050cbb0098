// Running our own programs from tests.
#pragma once

#include <string>

namespace sluice {

struct Finished {
  int code = -1;    // exit code; -1 when it was killed
  std::string out;  // standard output
};

// `command` is a line for the shell; add 2>&1 to see errors, too.
Finished RunCommand(const std::string& command);

// The file's bytes; fails the test when it cannot be read.
std::string ReadWholeFile(const std::string& path);

}  // namespace sluice
