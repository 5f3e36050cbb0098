// The command line program: output, messages, exit codes.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "sluice/op/registry.h"
#include "sluice/op/way_on_gpu.h"
#include "tests/subprocess.h"

namespace sluice {
namespace {

Finished Sluice(const std::string& arguments) {
  return RunCommand(SLUICE_BIN_DIR "/sluice " + arguments + " 2>&1");
}

void ExpectContains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << part << "\nin\n" << text;
}

// A file of this test alone, gone when it ends.
class TempFile {
 public:
  TempFile(const std::string& name, const std::string& text)
      : path_(testing::TempDir() + "/" + name) {
    std::ofstream(path_) << text;
  }
  ~TempFile() { std::remove(path_.c_str()); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

TEST(Cli, HelpNamesEveryCommand) {
  Finished help = Sluice("--help");
  EXPECT_EQ(help.code, 0);
  for (const char* command :
       {"demo", "graph", "info", "jobset", "launch", "top", "train"}) {
    ExpectContains(help.out, command);
    Finished one = Sluice(std::string(command) + " --help");
    EXPECT_EQ(one.code, 0);
    ExpectContains(one.out, std::string("usage: sluice ") + command);
  }
}

TEST(Cli, MistakesInTheLineExitWith2) {
  Finished none = Sluice("");
  EXPECT_EQ(none.code, 2);
  Finished unknown = Sluice("frobnicate");
  EXPECT_EQ(unknown.code, 2);
  ExpectContains(unknown.out, "there is no command \"frobnicate\"");
  Finished option = Sluice("info --colour");
  EXPECT_EQ(option.code, 2);
  ExpectContains(option.out, "unexpected argument \"--colour\"");
  Finished number = Sluice("demo --epochs many");
  EXPECT_EQ(number.code, 2);
  ExpectContains(number.out,
                 "--epochs wants a number from 1 to 1000, got \"many\"");
  EXPECT_EQ(Sluice("demo --epochs").code, 2);
  Finished real = Sluice("train mlp --lr fast");
  EXPECT_EQ(real.code, 2);
  ExpectContains(real.out, "--lr wants a number from 0 to 1e+06");
  EXPECT_EQ(Sluice("train").code, 2);
  EXPECT_EQ(Sluice("graph").code, 2);
}

TEST(Cli, LaunchRunsRanksAndEndsAsTheFirstThatFails) {
  Finished good =
      Sluice("launch --ranks 3 sh -c 'echo $RANK/$WORLD_SIZE at $MASTER_ADDR'");
  EXPECT_EQ(good.code, 0);
  for (const char* line :
       {"0/3 at 127.0.0.1\n", "1/3 at 127.0.0.1\n", "2/3 at 127.0.0.1\n"}) {
    ExpectContains(good.out, line);
  }
  Finished bad = Sluice("launch --ranks 2 sh -c 'exit $((RANK * 7))'");
  EXPECT_EQ(bad.code, 7);
  ExpectContains(bad.out, "sluice launch: rank 1 (process ");
  ExpectContains(bad.out, ") ended with 7\n");
  Finished killed = Sluice("launch --ranks 1 sh -c 'kill -9 $$'");
  EXPECT_EQ(killed.code, 128 + 9);
  ExpectContains(killed.out, "was killed by signal 9");
  Finished none = Sluice("launch --ranks 2 no-such-program");
  EXPECT_EQ(none.code, 2);
  ExpectContains(none.out, "cannot run \"no-such-program\"");
}

TEST(Cli, LaunchStartsAllRanksAgainAfterAKillOr75) {
  // Killed the first time, 75 the second, an error of its own the third: that
  // one is the end.
  Finished ended = Sluice(
      "launch --ranks 2 --restarts 9 sh -c 'echo try $SLUICE_RESTART_COUNT of "
      "$RANK; [ $RANK = 0 ] && exit 0; case $SLUICE_RESTART_COUNT in 0) kill "
      "-9 $$;; 1) exit 75;; *) exit 3;; esac'");
  EXPECT_EQ(ended.code, 3);
  for (const char* line :
       {"try 0 of 0\n", "try 1 of 0\n", "try 2 of 0\n", "try 2 of 1\n",
        "all 2 ranks start again (1 of 9)", "(2 of 9)"}) {
    ExpectContains(ended.out, line);
  }
  EXPECT_EQ(ended.out.find("try 3"), std::string::npos);
  Finished enough =
      Sluice("launch --ranks 1 --restarts 1 sh -c 'echo once; exit 75'");
  EXPECT_EQ(enough.code, 75);
  EXPECT_EQ(enough.out.find("once"), 0u);
  ExpectContains(enough.out, "(1 of 1)");
  EXPECT_EQ(enough.out.find("(2 of"), std::string::npos);
  Finished alone = Sluice("launch --restarts 1 true");
  EXPECT_EQ(alone.code, 2);
  ExpectContains(alone.out, "--restarts goes with --ranks");
}

TEST(Cli, LaunchDoesNotStartAgainWhatOthersEndedWith75For) {
  // Rank 0 ends with an error, and rank 1 says "later" because of it: after it,
  // and before.
  for (const std::string last : {"1", "0"}) {
    TempFile first("launch_first_" + last, "");
    TempFile program(
        "launch_later_" + last,
        "if [ $RANK = " + last + " ]; then\n  until [ -s " + first.path() +
            " ] && ! kill -0 $(cat " + first.path() +
            ") 2>/dev/null; do sleep 0.02; done\nelse\n  echo $$ "
            "> " +
            first.path() + "\nfi\n[ $RANK = 0 ] && exit 3\nexit 75\n");
    Finished ended =
        Sluice("launch --ranks 2 --restarts 9 sh " + program.path());
    EXPECT_EQ(ended.code, 3) << ended.out;
    EXPECT_EQ(ended.out.find("start again"), std::string::npos) << ended.out;
  }
}

TEST(Cli, LaunchLeavesSignalsIgnoredThatWere) {
  // As nohup has them.
  TempFile program("launch_ignored",
                   "kill -HUP $PPID; kill -HUP $$; echo here\n");
  Finished kept =
      RunCommand("trap '' HUP; " SLUICE_BIN_DIR "/sluice launch --ranks 1 sh " +
                 program.path() + " 2>&1");
  EXPECT_EQ(kept.code, 0) << kept.out;
  ExpectContains(kept.out, "here\n");
}

TEST(Cli, LaunchThatIsToldToEndStartsNothingAgain) {
  Finished told = Sluice(
      "launch --ranks 1 --restarts 9 sh -c 'trap \"exit 75\" TERM; echo try "
      "$SLUICE_RESTART_COUNT; kill -TERM $PPID; while :; do sleep 0.02; done'");
  EXPECT_EQ(told.code, 75);
  ExpectContains(told.out, "try 0");
  EXPECT_EQ(told.out.find("try 1"), std::string::npos);
  Finished interrupted =
      Sluice("launch --ranks 1 --restarts 9 sh -c 'kill -INT $$; sleep 9'");
  EXPECT_EQ(interrupted.code, 128 + 2);
  EXPECT_EQ(interrupted.out.find("start again"), std::string::npos);
}

TEST(Cli, RanksAreToldToEndWhenTheirLauncherIsKilled) {
  // The rank kills its launcher, and says so when it hears of the end. The pipe
  // is read until the last of them has ended.
  Finished killed = Sluice(
      "launch --ranks 1 --restarts 9 sh -c 'trap \"echo told; exit 0\" TERM; "
      "kill -9 $PPID; while :; do sleep 0.02; done'");
  ExpectContains(killed.out, "told\n");
}

TEST(Cli, InfoListsTheOpsSorted) {
  Finished info = Sluice("info");
  EXPECT_EQ(info.code, 0);
  std::vector<const OpRecord*> ops = AllOps();
  ExpectContains(info.out, "ops       " + std::to_string(ops.size()));
  Finished list = Sluice("info --ops");
  EXPECT_EQ(list.code, 0);
  std::istringstream lines(list.out);
  std::string line;
  size_t i = 0;
  while (std::getline(lines, line)) {
    ASSERT_LT(i, ops.size());
    EXPECT_EQ(line.substr(0, line.find(' ')), ops[i]->name);
    ++i;
  }
  EXPECT_EQ(i, ops.size());
}

// Ops that a GPU leaves to the host, with copies there and back: write the
// kernel, then lower the number.
constexpr int kMostThroughHost = 60;

TEST(Cli, InfoTellsHowOpsRunOnAGpu) {
  EXPECT_EQ(Sluice("info --device gpu").code, 2);
  EXPECT_EQ(Sluice("info --ops --device tpu").code, 2);
  Finished list = Sluice("info --ops --device gpu");
  EXPECT_EQ(list.code, 0) << list.out;
  const OpRecord* matmul = FindOp("MatMul");
  ASSERT_NE(matmul, nullptr);
  if (!matmul->kernel(DeviceKind::kCuda).defined()) {
    GTEST_SKIP() << "this build has no CUDA part";
  }
  ExpectContains(list.out, "MatMul                   library\n");
  ExpectContains(list.out, "Add                      formula\n");
  ExpectContains(list.out, "Reshape                  view\n");
  ExpectContains(list.out, "Softmax                  kernel\n");
  int through_host = 0;
  for (const OpRecord* op : AllOps()) {
    if (WayOf(*op) == WayOnGpu::kThroughHost) ++through_host;
  }
  EXPECT_LE(through_host, kMostThroughHost) << list.out;
}

TEST(Cli, GraphPrintsAndOptimises) {
  TempFile file("cli_test_good.sluice",
                "graph g(%x: f32[2]) -> (%y) {\n"
                "  %two = Add(1.0, 1.0)\n"
                "  %y = Mul(%x, %two)\n}\n");
  Finished print = Sluice("graph " + file.path());
  EXPECT_EQ(print.code, 0) << print.out;
  ExpectContains(print.out, "%y = Mul(");
  ExpectContains(print.out, "Add(");
  Finished again = RunCommand(SLUICE_BIN_DIR "/sluice graph " + file.path() +
                              " | " + SLUICE_BIN_DIR "/sluice graph - 2>&1");
  EXPECT_EQ(again.code, 0);
  EXPECT_EQ(again.out, print.out);
  Finished fast =
      RunCommand(SLUICE_BIN_DIR "/sluice graph --optimize --plain " +
                 file.path() + " 2>/dev/null");
  EXPECT_EQ(fast.code, 0);
  EXPECT_EQ(fast.out.find("= Add("), std::string::npos) << fast.out;
  EXPECT_EQ(Sluice("graph --quiet " + file.path()).out, "");
}

TEST(Cli, GraphShowsWhatBecomesOfALoop) {
  TempFile file("cli_test_loop.sluice",
                "graph g(%x: f32[]) -> (%y) {\n"
                "  %y = While(%x) [dtypes = {f32}] : f32[] {\n"
                "    cond(%v: f32[]) { %c = Less(%v, 9) yield %c }\n"
                "    body(%v: f32[]) { %w = Exp(%v) yield %w }\n  }\n}\n");
  Finished lowered = Sluice("graph --lower " + file.path());
  EXPECT_EQ(lowered.code, 0) << lowered.out;
  EXPECT_EQ(lowered.out.find("While"), std::string::npos) << lowered.out;
  ExpectContains(lowered.out, "%y.NextIteration = NextIteration(%w)");
  Finished again =
      RunCommand(SLUICE_BIN_DIR "/sluice graph --lower " + file.path() +
                 " | " SLUICE_BIN_DIR "/sluice graph - 2>&1");
  EXPECT_EQ(again.out, lowered.out);
  Finished plan = Sluice("graph --plan " + file.path());
  EXPECT_EQ(plan.code, 0) << plan.out;
  ExpectContains(plan.out, "bytecode While \"y\"");
  ExpectContains(Sluice("graph --plan --executor tokens " + file.path()).out,
                 "frame \"y\" on tokens");
  EXPECT_EQ(Sluice("graph --plan --executor fast " + file.path()).code, 2);
  EXPECT_EQ(Sluice("graph --executor tape " + file.path()).code, 2);
  EXPECT_EQ(Sluice("graph --plan --lower " + file.path()).code, 2);
}

TEST(Cli, GraphTellsWhereNodesGoAndWhy) {
  TempFile file("cli_test_places.sluice",
                "graph g(%x: f32[512,512]) -> (%y) {\n"
                "  %a = MatMul(%x, %x) on \"cpu:1\" @ \"m.cc\":3\n"
                "  %b = MatMul(%x, %x)\n"
                "  %y = MatMul(%b, %b)\n}\n");
  std::string command = "graph --place --cpus 2 --sims 1 " + file.path();
  Finished given = Sluice(command);
  EXPECT_EQ(given.code, 0) << given.out;
  ExpectContains(given.out,
                 "a -> /device:cpu:1: asked for; asked \"cpu:1\"; 1.0 MiB "
                 "copied to it (m.cc:3)");
  ExpectContains(given.out, "b -> /device:cpu:0: the preferred device");
  ExpectContains(given.out, "nodes on 3 devices");
  Finished found = Sluice(command + " --search");
  EXPECT_EQ(found.code, 0) << found.out;
  ExpectContains(found.out, "a -> /device:cpu:1: asked for");
  ExpectContains(found.out, "b -> /device:sim:0: finishes earliest");
  EXPECT_EQ(Sluice("graph --search " + file.path()).code, 2);
  EXPECT_EQ(Sluice("graph --sims 2 " + file.path()).code, 2);
  EXPECT_EQ(Sluice("graph --place --plan " + file.path()).code, 2);
}

TEST(Cli, BadGraphsExitWith1AndSayWhere) {
  TempFile file("cli_test_bad.sluice",
                "graph g(%x: f32[2]) -> (%y) {\n  %y = Mull(%x, %x)\n}\n");
  Finished bad = Sluice("graph " + file.path());
  EXPECT_EQ(bad.code, 1);
  ExpectContains(bad.out, "graph text:2:");
  ExpectContains(bad.out, "Mull");
  Finished missing = Sluice("graph /nowhere/at/all");
  EXPECT_EQ(missing.code, 1);
  ExpectContains(missing.out, "cannot open /nowhere/at/all");
}

TEST(Cli, TheDemoReadsDigits) {
  std::string dir = testing::TempDir() + "/cli_test_demo";
  std::filesystem::remove_all(dir);
  // One pass is enough for all but the accuracy.
  Finished demo = Sluice("demo --epochs 1 --dir " + dir);
  ExpectContains(demo.out, "Digits it has not seen");
  ExpectContains(demo.out, "are read right, after 125 steps");
  std::string png = ReadWholeFile(dir + "/loss.png");
  EXPECT_EQ(png.substr(1, 3), "PNG");
  EXPECT_TRUE(std::filesystem::exists(dir + "/checkpoints/step_00000125"));
  std::filesystem::remove_all(dir);
}

TEST(Cli, TrainGoesOnWhereItWasStopped) {
  std::string dir = testing::TempDir() + "/cli_test_train";
  std::filesystem::remove_all(dir);
  std::string line = "train mlp --dir " + dir + " --save-every 7 --steps ";
  Finished first = Sluice(line + "20");
  EXPECT_EQ(first.code, 0) << first.out;
  ExpectContains(first.out, "mlp: loss ");
  ExpectContains(first.out, "accuracy on unseen data: ");
  Finished more = Sluice(line + "30");
  EXPECT_EQ(more.code, 0) << more.out;
  ExpectContains(more.out, "went on from step 20");
  Finished whole = Sluice("train mlp --steps 30");
  auto loss = [](const std::string& out) {
    size_t at = out.find("mlp: loss ");
    return out.substr(at, out.find('\n', at) - at);
  };
  EXPECT_EQ(loss(more.out), loss(whole.out));
  std::filesystem::remove_all(dir);

  Finished list = Sluice("train --list");
  ExpectContains(list.out, "resnet50 ");
  Finished unknown = Sluice("train lenet6");
  EXPECT_EQ(unknown.code, 1);
  ExpectContains(unknown.out, "there is no model \"lenet6\"");
}

}  // namespace
}  // namespace sluice
