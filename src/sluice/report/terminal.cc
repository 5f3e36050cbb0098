#include "sluice/report/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace sluice::report {

namespace {
std::string_view Environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}
}  // namespace

bool IsTerminal(std::FILE* out) {
  int fd = fileno(out);
  return fd >= 0 && isatty(fd) != 0 && Environment("TERM") != "dumb";
}

int TerminalColumns(std::FILE* out) {
  winsize size{};
  int fd = fileno(out);
  if (fd >= 0 && ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    return size.ws_col;
  }
  return 80;
}

bool WantsColor() { return Environment("NO_COLOR").empty(); }

bool WantsUtf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    std::string_view value = Environment(name);
    if (value.empty()) continue;
    return value.find("UTF-8") != value.npos ||
           value.find("utf8") != value.npos ||
           value.find("UTF8") != value.npos ||
           value.find("utf-8") != value.npos;
  }
  return false;
}

}  // namespace sluice::report
