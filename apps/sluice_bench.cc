// sluice-bench: lists and runs the benchmarks.
//
//   sluice-bench                      list
//   sluice-bench executor             run a group
//   sluice-bench executor tape_...    run some of it
//   --rounds N                        best of N (default 7)
//   --only TEXT                       cases whose name has TEXT in it (where a
//                                     benchmark has named cases)
//   --json                            JSON lines also where there is a table
//   --strict                          exit 1 when a bar does not hold
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "benchmarks/bench.h"

namespace {

int List() {
  std::printf("benchmarks (sluice-bench GROUP [NAME...]):\n");
  for (const auto& b : sluice::bench::AllBenchmarks()) {
    std::printf("  %-10s %-24s %s\n", b.group.c_str(), b.name.c_str(),
                b.doc.c_str());
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> words;
  std::string only;
  int rounds = 7;
  bool strict = false, json = false;
  for (int i = 1; i < argc; ++i) {
    if (!std::strcmp(argv[i], "--strict")) {
      strict = true;
    } else if (!std::strcmp(argv[i], "--json")) {
      json = true;
    } else if (!std::strcmp(argv[i], "--rounds") && i + 1 < argc) {
      rounds = std::max(1, std::atoi(argv[++i]));
    } else if (!std::strcmp(argv[i], "--only") && i + 1 < argc) {
      only = argv[++i];
    } else if (argv[i][0] == '-') {
      bool help =
          !std::strcmp(argv[i], "--help") || !std::strcmp(argv[i], "-h");
      if (!help)
        std::fprintf(stderr, "sluice-bench: unknown option %s\n", argv[i]);
      List();
      return help ? 0 : 2;
    } else {
      words.push_back(argv[i]);
    }
  }
  if (words.empty() || words[0] == "list") return List();
  int ran = 0, missed = 0;
  for (const auto& b : sluice::bench::AllBenchmarks()) {
    if (b.group != words[0] && words[0] != "all") continue;
    bool chosen = words.size() == 1;
    for (size_t i = 1; i < words.size(); ++i)
      chosen = chosen || words[i] == b.name;
    if (!chosen) continue;
    sluice::bench::Report report(b.group);
    report.rounds = rounds;
    report.only = only;
    report.json = json;
    b.run(report);
    missed += report.missed();
    ++ran;
  }
  if (ran == 0) {
    std::fprintf(stderr,
                 "sluice-bench: no benchmark of that name; run it without "
                 "arguments for a list\n");
    return 2;
  }
  return strict && missed > 0 ? 1 : 0;
}
