// A training job of two ranks that are killed again and again, by the nemesis
// (python/fuzz/nemesis): how soon it goes on, and whether it ends with the same
// bits as a run that nobody disturbed.
#include <cstdio>
#include <filesystem>
#include <string>

#include "benchmarks/bench.h"
#include "sluice/base/strings.h"
#include "sluice/io/json.h"

namespace sluice::bench {
namespace {

namespace fs = std::filesystem;

// What the program prints last; empty when it could not be run.
std::string Killed(int kills, int steps) {
  const std::string python = "build/python-env/bin/python";
  if (!fs::exists(python) || !fs::exists("build/release/python/sluice") ||
      !fs::exists("build/release/bin/sluice")) {
    return "";
  }
  std::string command =
      StrCat("PYTHONPATH=build/release/python:python/fuzz ", python,
             " -m nemesis --kills ", kills, " --steps ", steps, " --json");
  FILE* program = popen(command.c_str(), "r");
  if (!program) return "";
  std::string found;
  char line[4096];
  while (std::fgets(line, sizeof line, program)) {
    if (line[0] == '{') found = line;
  }
  pclose(program);
  return found;
}

constexpr char kNothing[] =
    "no Python package or no sluice: `make build`, in the repository";

}  // namespace

SL_BENCH(fleet, recovery, "from the kill of a rank to the next step") {
  std::string text = Killed(20, 100);
  if (text.empty()) return report.Missing("recovery", kNothing, {}, AtMost(10));
  io::Json found = io::parse_json(text);
  report.Line("recovery", found.at("recovery_max_s").as_double(), "s",
              {{"ranks", "2"},
               {"kills", "20"},
               {"median_s", StrCat(found.at("recovery_median_s").as_double())}},
              AtMost(10));
}

SL_BENCH(fleet, kills_bit_equal,
         "whether a run with 100 kills is the undisturbed one to the bit") {
  std::string text = Killed(100, 400);
  if (text.empty()) {
    return report.Missing("kills_bit_equal", kNothing, {}, AtLeast(1));
  }
  io::Json found = io::parse_json(text);
  report.Line("kills_bit_equal", found.at("bit_equal").as_bool() ? 1 : 0, "",
              {{"ranks", "2"},
               {"kills", StrCat(found.at("faults").at("kill").as_int())},
               {"restarts", StrCat(found.at("restarts").as_int())},
               {"steps_made", StrCat(found.at("steps").as_int())}},
              AtLeast(1));
}

}  // namespace sluice::bench
