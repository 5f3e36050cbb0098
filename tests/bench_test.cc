// sluice-bench: what it prints, not how fast anything is.
#include <gtest/gtest.h>

#include <sstream>

#include "tests/subprocess.h"

namespace sluice {
namespace {

Finished Bench(const std::string& arguments) {
  return RunCommand(SLUICE_BIN_DIR "/sluice-bench " + arguments + " 2>&1");
}

void ExpectContains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << part << "\nin\n" << text;
}

TEST(Bench, ListsItsGroups) {
  Finished list = Bench("");
  EXPECT_EQ(list.code, 0);
  for (const char* group : {"executor", "kernels", "ops"}) {
    ExpectContains(list.out, std::string("\n  ") + group + " ");
  }
}

TEST(Bench, MistakesInTheLineExitWith2) {
  EXPECT_EQ(Bench("--colour").code, 2);
  EXPECT_EQ(Bench("kernels no_such_benchmark").code, 2);
}

// Every line is one figure; ops that cannot be measured say why.
TEST(Bench, OpsAsJson) {
  Finished ops = Bench("ops --only Ass --json --rounds 1");
  EXPECT_EQ(ops.code, 0) << ops.out;
  std::istringstream lines(ops.out);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_EQ(line.find("{\"bench\":\"ops\",\"metric\":"), 0u) << line;
    EXPECT_EQ(line.back(), '}') << line;
  }
  ExpectContains(
      ops.out, "\"value\":null,\"op\":\"Assign\",\"error\":\"works on state\"");
  ExpectContains(ops.out, "\"metric\":\"peak\"");
}

TEST(Bench, MeasuresAnOpAgainstTheRoofline) {
  Finished ops = Bench("ops --only Softplus --rounds 1");
  EXPECT_EQ(ops.code, 0) << ops.out;
  ExpectContains(ops.out, "bandwidth, 16 MiB");
  ExpectContains(ops.out, "\nSoftplus ");
  ExpectContains(ops.out, "% bandwidth  f32[");
}

// A bar that cannot be judged is missed, and --strict says so.
TEST(Bench, WithoutTheOpponentABarIsMissed) {
  std::string none = "SLUICE_PEER_PYTHON=/nowhere/python ";
  Finished torch = RunCommand(none + SLUICE_BIN_DIR
                              "/sluice-bench kernels vs_torch --strict 2>&1");
  EXPECT_EQ(torch.code, 1) << torch.out;
  ExpectContains(torch.out, "\"holds\":false");
  ExpectContains(torch.out, "make peers");
}

}  // namespace
}  // namespace sluice
