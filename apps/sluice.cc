// sluice: the command line program. Each command is a file of apps/sluice.
#include <cstdio>
#include <exception>
#include <string_view>

#include "apps/sluice/command.h"

namespace {

using sluice::app::Command;
using sluice::app::kCommands;

void PrintHelp(std::FILE* to) {
  std::fputs(
      "sluice: dataflow machine learning\n\n"
      "usage: sluice COMMAND [ARGUMENTS]\n\n",
      to);
  for (const Command& c : kCommands) {
    std::fprintf(to, "  %-8s %s\n", c.name, c.summary);
  }
  std::fputs("\nsluice COMMAND --help says more.\n", to);
}

}  // namespace

int main(int argc, char** argv) {
  using sluice::app::kUsage;
  std::string_view word = argc > 1 ? argv[1] : "";
  if (word == "--help" || word == "-h" || word == "help") {
    PrintHelp(stdout);
    return 0;
  }
  if (word.empty()) {
    PrintHelp(stderr);
    return kUsage;
  }
  for (const Command& command : kCommands) {
    if (word != command.name) continue;
    try {
      return command.run(sluice::app::Arguments(argc - 2, argv + 2));
    } catch (const sluice::app::UsageError& e) {
      std::fprintf(stderr, "sluice %s: %s\n%s", command.name, e.what(),
                   command.usage);
      return kUsage;
    } catch (const std::exception& e) {
      std::fprintf(stderr, "sluice %s: %s\n", command.name, e.what());
      return sluice::app::kFailed;
    }
  }
  std::fprintf(stderr, "sluice: there is no command \"%s\"\n\n", argv[1]);
  PrintHelp(stderr);
  return kUsage;
}
