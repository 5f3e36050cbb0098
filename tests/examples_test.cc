// Every program of examples/ runs and prints what its first comment says; those
// of examples/loops run.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "tests/subprocess.h"

namespace sluice {
namespace {

// The lines after "// Prints:", without the comment marks.
std::string Promised(const std::string& source) {
  std::istringstream lines(source);
  std::string line, text;
  bool found = false;
  while (std::getline(lines, line) && line.starts_with("//")) {
    if (found && line.starts_with("//   ")) text += line.substr(5) + "\n";
    found = found || line == "// Prints:";
  }
  return text;
}

TEST(Examples, PrintWhatTheySay) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("examples")) {
    if (entry.path().extension() != ".cc") continue;
    ++count;
    std::string program = entry.path().stem();
    std::replace(program.begin(), program.end(), '_', '-');
    SCOPED_TRACE(entry.path());
    std::string promised = Promised(ReadWholeFile(entry.path()));
    EXPECT_NE(promised, "") << "no \"// Prints:\" in its first comment";
    Finished run = RunCommand(SLUICE_BIN_DIR "/example-" + program);
    EXPECT_EQ(run.code, 0);
    EXPECT_EQ(run.out, promised);
  }
  EXPECT_GE(count, 3);
}

TEST(Examples, RanksPrintTheSame) {
  Finished run =
      RunCommand(SLUICE_BIN_DIR "/sluice launch --ranks 3 " SLUICE_BIN_DIR
                                "/example-ranks");
  EXPECT_EQ(run.code, 0);
  std::string line = Promised(ReadWholeFile("examples/ranks.cc"));
  EXPECT_EQ(run.out, line + line + line);
}

// Those of examples/loops promise something too, or take a number of steps and
// learn more from more of them; that they do is tested beside them.
TEST(Examples, OfLoopsRunInSmall) {
  int count = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator("examples/loops")) {
    if (entry.path().extension() != ".cc") continue;
    std::string source = ReadWholeFile(entry.path());
    if (source.find("\nint main(") == std::string::npos) continue;
    ++count;
    std::string program = entry.path().stem();
    std::replace(program.begin(), program.end(), '_', '-');
    SCOPED_TRACE(entry.path());
    std::string promised = Promised(source);
    Finished run = RunCommand(SLUICE_BIN_DIR "/example-" + program +
                              (promised.empty() ? " 3" : ""));
    EXPECT_EQ(run.code, 0);
    EXPECT_NE(run.out, "");
    if (!promised.empty()) {
      EXPECT_EQ(run.out, promised);
    }
  }
  EXPECT_GE(count, 5);
}

}  // namespace
}  // namespace sluice
