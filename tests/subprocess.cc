#include "tests/subprocess.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <fstream>
#include <sstream>

namespace sluice {

Finished RunCommand(const std::string& command) {
  Finished finished;
  std::FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) {
    ADD_FAILURE() << "cannot run " << command;
    return finished;
  }
  char buffer[4096];
  while (size_t n = std::fread(buffer, 1, sizeof buffer, pipe)) {
    finished.out.append(buffer, n);
  }
  int status = pclose(pipe);
  if (WIFEXITED(status)) finished.code = WEXITSTATUS(status);
  return finished;
}

std::string ReadWholeFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in) << "cannot open " << path;
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace sluice
